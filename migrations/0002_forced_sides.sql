-- Where the versions lie with which a version broke by force: below it, above it, or both. `forced_under` is the nearest
-- release that was live above it then. The release before this one writes neither; it takes every break for one from below.
alter table version add column forced_side text
constraint version_forced_side_is_known check (forced_side in ('below', 'above', 'both'));
alter table version add column forced_under text;

-- From the reports of each judgement: this version is the new one against those below it, the old one against those above.
-- Escapes go first, since taking one member out decodes all others, and they may hold U+0000 or half a surrogate pair.
with judged as (
  select
    agent_id, precedence, version,
    regexp_replace(replace(judgement, '\\', ''), '\\u[0-9a-fA-F]{4}', '?', 'g')::json as judgement
  from version
  where forced <> '{}'
),

told as (
  select
    judged.agent_id, judged.precedence, report.place, report.body ->> 'new_version' as new_version,
    report.body ->> 'old_version' = judged.version as is_above,
    json_array_length(report.body -> 'forced') > 0 as is_forced
  from judged
  cross join json_array_elements(judged.judgement -> 'reports') with ordinality as report (body, place)
),

sided as (
  select
    agent_id, precedence, bool_or(is_forced and is_above) as above, bool_or(is_forced and not is_above) as below,
    (array_agg(new_version order by place) filter (where is_above))[1] as under
  from told
  group by agent_id, precedence
)

update version
set
  forced_side = case when not sided.above then 'below' when sided.below then 'both' else 'above' end,
  forced_under = sided.under
from sided
where version.agent_id = sided.agent_id and version.precedence = sided.precedence;

create or replace function version_refuse_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE'
    and (old.agent_id, old.precedence, old.version, old.kind, old.name, old.description, old.owner, old.tags)
    is not distinct from (new.agent_id, new.precedence, new.version, new.kind, new.name, new.description, new.owner, new.tags)
    and (old.raw, old.raw_digest, old.card_digest, old.contract_digest, old.findings, old.published_at, old.published_by)
    is not distinct from (new.raw, new.raw_digest, new.card_digest, new.contract_digest, new.findings, new.published_at, new.published_by)
    and old.source_commit is not distinct from new.source_commit
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
