-- What the registry stores: namespaces, agents, their versions, reports, the audit chain, events and tokens.
-- Text columns never see U+0000: it is refused at the door. Documents are kept as the bytes that were sent, and JSON
-- that may hold any string (witnesses, findings) as text with escapes, never as jsonb.

create table namespace (
  name text not null,
  profile text not null default 'declared',
  levels text not null default '{}',
  strict boolean not null default false,
  revision bigint not null default 1,
  audit_number bigint not null default 0,
  audit_hash bytea not null default sha256(''),
  created_at timestamptz not null,
  constraint namespace_pk primary key (name),
  constraint namespace_name_is_lower_case check (name = lower(name) and name <> ''),
  constraint namespace_profile_is_known check (profile in ('declared', 'literal'))
);

-- Identity, and what is serialised: whoever publishes locks this row first.
create table agent (
  agent_id text not null,
  namespace text not null,
  latest text,
  version_count bigint not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  constraint agent_pk primary key (agent_id),
  constraint agent_id_is_lower_case check (agent_id = lower(agent_id)),
  constraint agent_namespace_fk foreign key (namespace) references namespace (name)
);
create index agent_namespace_ix on agent (namespace);

-- `precedence` sorts bytewise as SemVer orders, without build metadata: 1.0.0+a and 1.0.0+b are one version.
create table version (
  agent_id text not null,
  precedence text collate "C" not null,
  version text not null,
  state text not null,
  state_revision bigint not null default 1,
  state_changed_at timestamptz not null,
  state_reason text,
  replaced_by text,
  sunset timestamptz,
  sequence bigint not null,
  kind text not null,
  name text not null,
  description text not null,
  owner text,
  tags text[] not null,
  raw bytea not null,
  raw_digest text not null,
  card_digest text not null,
  contract_digest text not null,
  judged_digest text not null,
  facets text[] not null,
  words text not null,
  findings text not null,
  judgement text not null,
  forced text[] not null default '{}',
  forced_reason text,
  source_commit text,
  published_at timestamptz not null,
  published_by text not null,
  constraint version_pk primary key (agent_id, precedence),
  constraint version_agent_fk foreign key (agent_id) references agent (agent_id),
  constraint version_state_is_known
  check (state in ('draft', 'staging', 'production', 'deprecated', 'retired', 'yanked')),
  constraint version_force_has_a_reason check (forced = '{}' or forced_reason is not null)
);
create index version_card_digest_ix on version (card_digest);

-- A comparison, by everything that its outcome depends on; never judged again.
create table report (
  old_digest text not null,
  new_digest text not null,
  old_version text not null,
  new_version text not null,
  policy_digest text not null,
  profile text not null,
  policy_version text not null,
  engine_version text not null,
  report text not null,
  created_at timestamptz not null,
  constraint report_pk
  primary key (new_digest, old_digest, new_version, old_version, policy_digest, engine_version)
);

-- One narrow row an agent, for lists: of the version that represents it.
create table search (
  agent_id text not null,
  updated_at timestamptz not null,
  precedence text collate "C" not null,
  facets text[] not null,
  words tsvector not null,
  constraint search_pk primary key (agent_id),
  constraint search_version_fk foreign key (agent_id, precedence) references version (agent_id, precedence)
);
create index search_updated_at_ix on search (updated_at, agent_id);
create index search_facets_ix on search using gin (facets);
create index search_words_ix on search using gin (words);

-- hash = sha256(the hash before it, the entry's bytes); the chain's head stands in its namespace's row.
create table audit (
  namespace text not null,
  number bigint not null,
  entry text not null,
  hash bytea not null,
  constraint audit_pk primary key (namespace, number),
  constraint audit_namespace_fk foreign key (namespace) references namespace (name)
);

-- The outbox. Numbers are given before a commit is seen: a reader takes only rows whose transaction is below
-- pg_snapshot_xmin(pg_current_snapshot()), or it would pass over a slower publisher's event.
create table event (
  number bigint generated always as identity,
  transaction_id xid8 not null default pg_current_xact_id(),
  kind text not null,
  agent_id text not null,
  version text not null,
  at timestamptz not null,
  body text not null,
  constraint event_pk primary key (number)
);

create table token (
  hash bytea not null,
  name text not null,
  role text not null,
  created_at timestamptz not null,
  constraint token_pk primary key (hash),
  constraint token_hash_is_sha256 check (octet_length(hash) = 32),
  constraint token_role_is_known check (role in ('admin'))
);

-- A published version never changes, but for its state; a draft may still get the judgement that promotes it.
create function version_refuse_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE'
    and (old.agent_id, old.precedence, old.version, old.kind, old.name, old.description, old.owner, old.tags)
    is not distinct from (new.agent_id, new.precedence, new.version, new.kind, new.name, new.description, new.owner, new.tags)
    and (old.raw, old.raw_digest, old.card_digest, old.contract_digest, old.findings, old.published_at, old.published_by)
    is not distinct from (new.raw, new.raw_digest, new.card_digest, new.contract_digest, new.findings, new.published_at, new.published_by)
    and old.source_commit is not distinct from new.source_commit
    and (
      old.state = 'draft'
      or (old.judgement, old.forced, old.forced_reason) is not distinct from (new.judgement, new.forced, new.forced_reason)
    )
    and not (old.state = 'yanked' and new.state <> 'yanked')
  then
    return new;
  end if;
  raise exception 'a published version never changes: % %', old.agent_id, old.version
    using errcode = 'check_violation', constraint = 'version_never_changes';
end
$$;
create trigger version_never_changes before update or delete on version
for each row execute function version_refuse_change();

create function audit_refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'the audit log is only added to'
    using errcode = 'check_violation', constraint = 'audit_only_grows';
end
$$;
create trigger audit_only_grows before update or delete on audit
for each row execute function audit_refuse_change();
