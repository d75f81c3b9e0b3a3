# The registry's API server. It needs a PostgreSQL 15 or newer in DATABASE_URL and, since it listens beyond loopback,
# an admin token in CARDS_ADMIN_TOKEN (compose.yaml sets both).
FROM python:3.13-slim AS build
WORKDIR /src
COPY requirements/server.txt requirements/server.txt
RUN python -m venv /opt/registry \
    && /opt/registry/bin/pip install --no-cache-dir --require-hashes -r requirements/server.txt \
    && /opt/registry/bin/pip install --no-cache-dir "hatchling==1.27.0"
COPY pyproject.toml README.md LICENSE NOTICE.md ./
COPY schemas schemas
COPY migrations migrations
COPY registry registry
RUN /opt/registry/bin/pip install --no-cache-dir --no-deps --no-build-isolation . \
    && /opt/registry/bin/pip uninstall --yes hatchling

FROM python:3.13-slim
RUN useradd --system --uid 10001 --home-dir /nonexistent --no-create-home registry
COPY --from=build /opt/registry /opt/registry
USER 10001
ENV PATH=/opt/registry/bin:$PATH CARDS_HOST=0.0.0.0 CARDS_PORT=8080
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8080/readyz', timeout=2)"]
CMD ["cards", "serve"]
