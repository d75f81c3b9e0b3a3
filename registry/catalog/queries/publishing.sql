-- name: namespaces_of
-- Those of the given names that are registered. By primary key.
select name, profile, levels, strict, revision, created_at, sequence
from namespace
where name = any($1::text[]) and registered;

-- name: ensure_namespace
-- A row for the audit log; it registers nothing. Two transactions wait for each other here in the order of names.
insert into namespace (name, created_at)
values ($1, $2)
on conflict (name) do nothing;

-- name: lock_agent
-- Makes the agent or waits for whoever publishes it: `select for update` over no row would lock nothing.
insert into agent (agent_id, namespace, created_at, updated_at)
values ($1, $2, $3, $3)
on conflict (agent_id) do update set namespace = excluded.namespace
returning namespace;

-- name: histories
-- The cheap columns of every version of some agents. By the primary key's prefix.
select agent_id, version, precedence, state, card_digest, judged_digest, forced, forced_side, forced_under, published_at
from version
where agent_id = any($1::text[]);

-- name: sources
-- The bytes to compare with. By primary key.
select agent_id, version, owner, raw
from version
where agent_id = $1 and precedence = any($2::text[]);

-- name: reports
-- Comparisons of one card that were made before, either way. By the primary key's prefix, and the list of partners.
select old_digest, new_digest, old_version, new_version, report
from report
where
  policy_digest = $4 and engine_version = $5
  and (
    (new_digest = $1 and new_version = $2 and old_digest = any($3::text[]))
    or (old_digest = $1 and old_version = $2 and new_digest = any($3::text[]))
  );

-- name: insert_report
insert into report (
  old_digest, new_digest, old_version, new_version, policy_digest, profile, policy_version, engine_version, report,
  created_at
)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
on conflict do nothing;

-- name: insert_event
insert into event (kind, agent_id, version, at, body)
values ($1, $2, $3, $4, $5)
returning number;

-- name: insert_version
insert into version (
  agent_id, precedence, version, state, state_changed_at, sequence, kind, name, description, owner, tags, raw,
  raw_digest, card_digest, contract_digest, judged_digest, facets, words, findings, judgement, forced, forced_side,
  forced_under, forced_reason, source_commit, published_at, published_by
)
values (
  $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $5,
  $26
);

-- name: update_state
-- Under the agent's lock. The judgement and what was forced change only on a draft (trigger version_never_changes).
update version
set
  state = $3, state_revision = state_revision + 1, state_changed_at = $4, state_reason = $5, replaced_by = $6,
  sunset = $7, sequence = $8, judgement = coalesce($9, judgement), forced = forced || $10::text[],
  forced_reason = coalesce($11, forced_reason), forced_side = coalesce($12, forced_side),
  forced_under = coalesce($13, forced_under)
where agent_id = $1 and precedence = $2;

-- name: update_owner
-- Under the agent's lock, with what the version is listed by; its card goes on to say what it said.
update version
set
  owner = $3, facets = array(select one from unnest(facets) as one where one not like 'o:%') || $4::text[],
  state_revision = state_revision + 1, sequence = $5
where agent_id = $1 and precedence = $2;

-- name: update_agent
-- What changes with a version: in the same transaction, under the agent's lock.
update agent
set latest = $2, version_count = $3, updated_at = $4
where agent_id = $1;

-- name: upsert_search
-- The row that lists read, from the version that represents the agent.
insert into search (agent_id, updated_at, precedence, facets, words)
select
  version.agent_id, $3, version.precedence, version.facets || array['s:' || version.state, 'n:' || agent.namespace],
  to_tsvector('english', version.words) || to_tsvector('simple', version.words)
from version
inner join agent on version.agent_id = agent.agent_id
where version.agent_id = $1 and version.precedence = $2
on conflict (agent_id) do update
set
  updated_at = excluded.updated_at, precedence = excluded.precedence, facets = excluded.facets,
  words = excluded.words;

-- name: append_audit
-- One link: the head's row lock is the chain's, taken last, so that publishers of other namespaces don't queue.
with head as (
  update namespace
  set audit_number = audit_number + 1, audit_hash = sha256(audit_hash || convert_to($2::text, 'UTF8'))
  where name = $1
  returning name, audit_number, audit_hash
)

insert into audit (namespace, number, entry, hash)
select name, audit_number, $2::text, audit_hash
from head;
