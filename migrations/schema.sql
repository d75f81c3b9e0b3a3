CREATE FUNCTION public.audit_refuse_change() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  raise exception 'the audit log is only added to'
    using errcode = 'check_violation', constraint = 'audit_only_grows';
end
$$;

CREATE FUNCTION public.version_refuse_change() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
begin
  if tg_op = 'UPDATE'
    and (old.agent_id, old.precedence, old.version, old.kind, old.name, old.description, old.tags, old.source_commit)
    is not distinct from (new.agent_id, new.precedence, new.version, new.kind, new.name, new.description, new.tags, new.source_commit)
    and (old.raw, old.raw_digest, old.card_digest, old.contract_digest, old.judged_digest, old.findings, old.published_at, old.published_by)
    is not distinct from (new.raw, new.raw_digest, new.card_digest, new.contract_digest, new.judged_digest, new.findings, new.published_at, new.published_by)
    and (
      old.state = 'draft'
      or (old.judgement, old.forced, old.forced_reason, old.forced_side, old.forced_under)
      is not distinct from (new.judgement, new.forced, new.forced_reason, new.forced_side, new.forced_under)
    )
    and not (old.state = 'yanked' and new.state <> 'yanked')
  then
    return new;
  end if;
  raise exception 'a published version never changes: % %', old.agent_id, old.version
    using errcode = 'check_violation', constraint = 'version_never_changes';
end
$$;

CREATE TABLE public.agent (
    agent_id text NOT NULL,
    namespace text NOT NULL,
    latest text,
    version_count bigint DEFAULT 0 NOT NULL,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    CONSTRAINT agent_id_is_lower_case CHECK ((agent_id = lower(agent_id)))
);

CREATE TABLE public.audit (
    namespace text NOT NULL,
    number bigint NOT NULL,
    entry text NOT NULL,
    hash bytea NOT NULL
);

CREATE TABLE public.event (
    number bigint NOT NULL,
    transaction_id xid8 DEFAULT pg_current_xact_id() NOT NULL,
    kind text NOT NULL,
    agent_id text,
    version text,
    at timestamp with time zone NOT NULL,
    body text NOT NULL,
    namespace text
);

ALTER TABLE public.event ALTER COLUMN number ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.event_number_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.migration (
    number bigint NOT NULL,
    name text NOT NULL,
    digest text NOT NULL,
    applied_at timestamp with time zone DEFAULT now() NOT NULL
);

CREATE TABLE public.namespace (
    name text NOT NULL,
    profile text DEFAULT 'declared'::text NOT NULL,
    levels text DEFAULT '{}'::text NOT NULL,
    strict boolean DEFAULT false NOT NULL,
    revision bigint DEFAULT 1 NOT NULL,
    audit_number bigint DEFAULT 0 NOT NULL,
    audit_hash bytea DEFAULT sha256('\x'::bytea) NOT NULL,
    created_at timestamp with time zone NOT NULL,
    registered boolean DEFAULT false NOT NULL,
    sequence bigint DEFAULT 0 NOT NULL,
    CONSTRAINT namespace_name_is_lower_case CHECK (((name = lower(name)) AND (name <> ''::text))),
    CONSTRAINT namespace_profile_is_known CHECK ((profile = ANY (ARRAY['declared'::text, 'literal'::text])))
);

CREATE TABLE public.report (
    old_digest text NOT NULL,
    new_digest text NOT NULL,
    old_version text NOT NULL,
    new_version text NOT NULL,
    policy_digest text NOT NULL,
    profile text NOT NULL,
    policy_version text NOT NULL,
    engine_version text NOT NULL,
    report text NOT NULL,
    created_at timestamp with time zone NOT NULL
);

CREATE TABLE public.search (
    agent_id text NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    precedence text NOT NULL COLLATE pg_catalog."C",
    facets text[] NOT NULL,
    words tsvector NOT NULL
);

CREATE TABLE public.token (
    hash bytea NOT NULL,
    name text NOT NULL,
    role text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT token_hash_is_sha256 CHECK ((octet_length(hash) = 32)),
    CONSTRAINT token_role_is_known CHECK ((role = 'admin'::text))
);

CREATE TABLE public.version (
    agent_id text NOT NULL,
    precedence text NOT NULL COLLATE pg_catalog."C",
    version text NOT NULL,
    state text NOT NULL,
    state_revision bigint DEFAULT 1 NOT NULL,
    state_changed_at timestamp with time zone NOT NULL,
    state_reason text,
    replaced_by text,
    sunset timestamp with time zone,
    sequence bigint NOT NULL,
    kind text NOT NULL,
    name text NOT NULL,
    description text NOT NULL,
    owner text,
    tags text[] NOT NULL,
    raw bytea NOT NULL,
    raw_digest text NOT NULL,
    card_digest text NOT NULL,
    contract_digest text NOT NULL,
    judged_digest text NOT NULL,
    facets text[] NOT NULL,
    words text NOT NULL,
    findings text NOT NULL,
    judgement text NOT NULL,
    forced text[] DEFAULT '{}'::text[] NOT NULL,
    forced_reason text,
    source_commit text,
    published_at timestamp with time zone NOT NULL,
    published_by text NOT NULL,
    forced_side text,
    forced_under text,
    CONSTRAINT version_force_has_a_reason CHECK (((forced = '{}'::text[]) OR (forced_reason IS NOT NULL))),
    CONSTRAINT version_forced_side_is_known CHECK ((forced_side = ANY (ARRAY['below'::text, 'above'::text, 'both'::text]))),
    CONSTRAINT version_state_is_known CHECK ((state = ANY (ARRAY['draft'::text, 'staging'::text, 'production'::text, 'deprecated'::text, 'retired'::text, 'yanked'::text])))
);

ALTER TABLE ONLY public.agent
    ADD CONSTRAINT agent_pk PRIMARY KEY (agent_id);

ALTER TABLE ONLY public.audit
    ADD CONSTRAINT audit_pk PRIMARY KEY (namespace, number);

ALTER TABLE ONLY public.event
    ADD CONSTRAINT event_pk PRIMARY KEY (number);

ALTER TABLE ONLY public.migration
    ADD CONSTRAINT migration_pk PRIMARY KEY (number);

ALTER TABLE ONLY public.namespace
    ADD CONSTRAINT namespace_pk PRIMARY KEY (name);

ALTER TABLE ONLY public.report
    ADD CONSTRAINT report_pk PRIMARY KEY (new_digest, old_digest, new_version, old_version, policy_digest, engine_version);

ALTER TABLE ONLY public.search
    ADD CONSTRAINT search_pk PRIMARY KEY (agent_id);

ALTER TABLE ONLY public.token
    ADD CONSTRAINT token_pk PRIMARY KEY (hash);

ALTER TABLE ONLY public.version
    ADD CONSTRAINT version_pk PRIMARY KEY (agent_id, precedence);

CREATE INDEX agent_id_ix ON public.agent USING btree (agent_id COLLATE "C");

CREATE INDEX search_facets_ix ON public.search USING gin (facets);

CREATE INDEX search_updated_at_ix ON public.search USING btree (updated_at, agent_id);

CREATE INDEX search_words_ix ON public.search USING gin (words);

CREATE TRIGGER audit_only_grows BEFORE DELETE OR UPDATE ON public.audit FOR EACH ROW EXECUTE FUNCTION public.audit_refuse_change();

CREATE TRIGGER version_never_changes BEFORE DELETE OR UPDATE ON public.version FOR EACH ROW EXECUTE FUNCTION public.version_refuse_change();

ALTER TABLE ONLY public.agent
    ADD CONSTRAINT agent_namespace_fk FOREIGN KEY (namespace) REFERENCES public.namespace(name);

ALTER TABLE ONLY public.audit
    ADD CONSTRAINT audit_namespace_fk FOREIGN KEY (namespace) REFERENCES public.namespace(name);

ALTER TABLE ONLY public.search
    ADD CONSTRAINT search_version_fk FOREIGN KEY (agent_id, precedence) REFERENCES public.version(agent_id, precedence);

ALTER TABLE ONLY public.version
    ADD CONSTRAINT version_agent_fk FOREIGN KEY (agent_id) REFERENCES public.agent(agent_id);
