-- name: one_namespace
select name, profile, levels, strict, revision, created_at
from namespace
where name = $1;

-- name: set_policy
insert into namespace (name, profile, levels, strict, created_at)
values ($1, $2, $3, $4, $5)
on conflict (name) do update
set
  profile = excluded.profile, levels = excluded.levels, strict = excluded.strict, revision = namespace.revision + 1
returning name, profile, levels, strict, revision, created_at;

-- name: audit_of
-- A namespace's chain in order. By primary key.
select number, entry, hash
from audit
where namespace = $1
order by number;

-- name: audit_head
select audit_number, audit_hash
from namespace
where name = $1;

-- name: token_by_hash
-- By primary key: the hash of 256 random bits tells nothing by how long it takes to be found.
select hash, name, role
from token
where hash = $1;

-- name: lock_tokens
-- Two processes that start at once make one first token. Held until the transaction ends.
select pg_advisory_xact_lock($1);

-- name: count_admin_tokens
select count(*) as admin_tokens
from token
where role = 'admin';

-- name: delete_other_tokens
-- A token from the environment replaces the one that was set before it.
delete from token
where name = $1 and hash <> $2;

-- name: insert_token
insert into token (hash, name, role, created_at)
values ($1, $2, $3, $4)
on conflict (hash) do nothing;
