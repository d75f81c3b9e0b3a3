-- name: list_agents
-- Last changed first, agent ID against ties. Facets by search_facets_ix, words by search_words_ix, else in order by
-- search_updated_at_ix. An empty array of facets and a null query filter nothing.
select
  search.agent_id, search.updated_at, agent.namespace, agent.latest, agent.version_count, agent.created_at,
  version.version, version.state, version.kind, version.name, version.description, version.owner, version.tags
from search
inner join agent on search.agent_id = agent.agent_id
inner join version on search.agent_id = version.agent_id and search.precedence = version.precedence
where
  search.facets @> $1::text[]
  and ($2::text is null or search.words @@ (to_tsquery('english', $2) || to_tsquery('simple', $2)))
  and ($3::timestamptz is null or search.updated_at >= $3)
  and ($4::timestamptz is null or (search.updated_at, search.agent_id) < ($4, $5))
order by search.updated_at desc, search.agent_id desc
limit $6;

-- name: one_agent
-- By primary key; the version's row is that of the search row.
select
  search.agent_id, search.updated_at, agent.namespace, agent.latest, agent.version_count, agent.created_at,
  version.version, version.state, version.kind, version.name, version.description, version.owner, version.tags
from search
inner join agent on search.agent_id = agent.agent_id
inner join version on search.agent_id = version.agent_id and search.precedence = version.precedence
where search.agent_id = $1;

-- name: history
-- Highest precedence first, backwards through the primary key; without bytes.
select
  version.agent_id, version.precedence, version.version, version.state, version.state_revision,
  version.state_changed_at, version.state_reason, version.replaced_by, version.sunset, version.sequence, version.kind,
  agent.namespace, version.name, version.description, version.owner, version.tags, version.raw_digest,
  version.card_digest, version.contract_digest, octet_length(version.raw) as size_bytes, version.findings,
  version.judgement, version.forced, version.forced_side, version.forced_under, version.forced_reason,
  version.source_commit, version.published_at,
  version.published_by, null::bytea as raw
from version
inner join agent on version.agent_id = agent.agent_id
where version.agent_id = $1 and ($2::text is null or version.precedence < $2)
order by version.precedence desc
limit $3;

-- name: one_version
-- By primary key, with its bytes.
select
  version.agent_id, version.precedence, version.version, version.state, version.state_revision,
  version.state_changed_at, version.state_reason, version.replaced_by, version.sunset, version.sequence, version.kind,
  agent.namespace, version.name, version.description, version.owner, version.tags, version.raw_digest,
  version.card_digest, version.contract_digest, octet_length(version.raw) as size_bytes, version.findings,
  version.judgement, version.forced, version.forced_side, version.forced_under, version.forced_reason,
  version.source_commit, version.published_at,
  version.published_by, version.raw
from version
inner join agent on version.agent_id = agent.agent_id
where version.agent_id = $1 and version.precedence = $2;

-- name: sign_of_life
select 1 as alive;
