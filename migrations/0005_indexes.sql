-- No query looks for a version by its digest alone, nor for agents by their namespace: lists have it in search.facets.
-- All migrations are one transaction, so not concurrently.
-- squawk-ignore require-concurrent-index-deletion
drop index version_card_digest_ix;
-- squawk-ignore require-concurrent-index-deletion
drop index agent_namespace_ix;
