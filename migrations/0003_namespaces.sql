-- A namespace is registered by its policy. The others are rows for the audit log of agents that no registered one holds.
-- `sequence` is the number of the last event of a namespace.
alter table namespace add column registered boolean not null default false;
alter table namespace add column sequence bigint not null default 0;

update namespace
set registered = true
where exists (
  select from audit
  where audit.namespace = namespace.name and starts_with(audit.entry, '{"action":"policy"')
);

-- An agent is of the longest registered prefix of its ID's labels, else of all labels but the last.
with homes as (
  select
    agent.agent_id,
    coalesce(
      (
        select namespace.name
        from namespace
        where namespace.registered and starts_with(agent.agent_id, namespace.name || '.')
        order by length(namespace.name) desc
        limit 1
      ),
      regexp_replace(agent.agent_id, '\.[^.]*$', '')
    ) as namespace
  from agent
),

made as (
  insert into namespace (name, created_at)
  select distinct homes.namespace, now()
  from homes
  on conflict (name) do nothing
)

update agent
set namespace = homes.namespace
from homes
where agent.agent_id = homes.agent_id and agent.namespace <> homes.namespace;

update search
set facets = array(select one from unnest(search.facets) as one where one not like 'n:%') || array['n:' || agent.namespace]
from agent
where agent.agent_id = search.agent_id and not search.facets @> array['n:' || agent.namespace];

-- Bytewise, so that the agents below a prefix stand in one row. All migrations are one transaction, so not concurrently.
-- squawk-ignore require-concurrent-index-creation
create index agent_id_ix on agent (agent_id collate "C");

-- An event may be a namespace's instead of a version's; no release has read events yet.
alter table event add column namespace text;
-- squawk-ignore ban-drop-not-null
alter table event alter column agent_id drop not null;
-- squawk-ignore ban-drop-not-null
alter table event alter column version drop not null;
