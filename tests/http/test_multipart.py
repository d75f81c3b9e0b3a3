import pytest

from registry.http.multipart import Part, split_parts
from registry.http.problems import MalformedRequest

TYPE = "multipart/form-data; boundary=xx"


def body(*parts: bytes) -> bytes:
    return b"".join(b"--xx\r\n" + part + b"\r\n" for part in parts) + b"--xx--\r\n"


def test_parts_keep_their_bytes():
    hostile = b'{"a":1}\r\n\r\n\n\r--x\r\n'
    sent = body(
        b'Content-Disposition: form-data; name="card"; filename="a.yaml"\r\nContent-Type: application/yaml\r\n\r\n'
        + hostile,
        b"content-disposition: form-data; name=com.example.a@1.0.0+b\r\n\r\n",
    )
    assert split_parts(TYPE, sent, 5) == (
        Part("card", "application/yaml", hostile),
        Part("com.example.a@1.0.0+b", "", b""),
    )


def test_a_preamble_and_an_epilogue_are_ignored():
    sent = b"hello\r\n" + body(b'Content-Disposition: form-data; name="card"\r\n\r\nx') + b"bye"
    assert split_parts('multipart/form-data; boundary="xx"', sent, 5) == (Part("card", "", b"x"),)


MALFORMED = [
    ("multipart/form-data", body(), "no-boundary"),
    (TYPE, b"", "no-end"),
    (TYPE, b"--xx\r\nContent-Disposition: form-data; name=a\r\n\r\nx", "no-end"),
    (TYPE, b"--xx\r\n\r\nx\r\n--xxy--", "no-end"),
    (TYPE, body(b"\r\nx"), "unnamed-part"),
    (TYPE, body(b"Content-Disposition: form-data; name=a"), "broken-part"),
    (TYPE, body(b"Content-Disposition: form-data\r\n\r\nx"), "unnamed-part"),
    (TYPE, b"--xxjunk\r\n\r\nx\r\n--xx--", "broken-part"),
    (
        TYPE,
        body(b"Content-Disposition: form-data; name=a\r\nContent-Transfer-Encoding: base64\r\n\r\neA=="),
        "encoded-part",
    ),
    (TYPE, body(*[b"Content-Disposition: form-data; name=a\r\n\r\nx"] * 3), "too-many-parts"),
]


@pytest.mark.parametrize(("content_type", "sent", "code"), MALFORMED)
def test_what_is_no_multipart_is_refused_with_its_reason(content_type, sent, code):
    with pytest.raises(MalformedRequest) as caught:
        split_parts(content_type, sent, 2)
    assert [finding.code for finding in caught.value.findings] == [code]
