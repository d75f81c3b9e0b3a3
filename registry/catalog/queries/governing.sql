-- name: one_namespace
-- A registered one. By primary key.
select name, profile, levels, strict, revision, created_at, sequence
from namespace
where name = $1 and registered;

-- name: lock_namespace
-- The same for who changes it: held until the transaction ends.
select name, profile, levels, strict, revision, created_at, sequence
from namespace
where name = $1 and registered
for update;

-- name: lock_homes
-- Who registers a namespace waits for publishers, and they for it: which one an agent is of doesn't change under them.
select pg_advisory_xact_lock($1);

-- name: lock_homes_shared
-- Publishers don't wait for one another here.
select pg_advisory_xact_lock_shared($1);

-- name: set_policy
-- Registers a namespace, which may be there already for its audit log, or changes its policy.
insert into namespace (name, profile, levels, strict, created_at, sequence, registered)
values ($1, $2, $3, $4, $5, $6, true)
on conflict (name) do update
set
  profile = excluded.profile, levels = excluded.levels, strict = excluded.strict, sequence = excluded.sequence,
  registered = true,
  revision = case when namespace.registered then namespace.revision + 1 else 1 end,
  created_at = case when namespace.registered then namespace.created_at else excluded.created_at end
returning name, profile, levels, strict, revision, created_at, sequence;

-- name: rehome_agents
-- Agents for which a new namespace is the longest registered prefix now. By agent_id_ix; `/` is the byte after `.`.
with moved as (
  update agent
  set namespace = $1
  from namespace
  where
    agent.agent_id collate "C" > $1 || '.' and agent.agent_id collate "C" < $1 || '/'
    and namespace.name = agent.namespace
    and (not namespace.registered or length(namespace.name) < length($1))
  returning agent.agent_id
)

update search
set facets = array(select one from unnest(search.facets) as one where one not like 'n:%') || array['n:' || $1]
from moved
where search.agent_id = moved.agent_id;

-- name: insert_policy_event
insert into event (kind, namespace, at, body)
values ('policy', $1, $2, $3)
returning number;

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
