-- A published version never changes, but for its state and its owner; a draft may still get the judgement that promotes it.
create or replace function version_refuse_change() returns trigger language plpgsql as $$
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
