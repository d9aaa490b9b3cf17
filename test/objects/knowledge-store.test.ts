import { env } from "cloudflare:workers";
import { D1KnowledgeStore } from "../../src/cloudflare/stores/d1-knowledge-store.ts";
import { knowledgeStoreSuite } from "../support/knowledge-store.suite.ts";

// One database for all: a world is part of the tenant's name.
knowledgeStoreSuite((tenant, world) => new D1KnowledgeStore(env.DB, `${tenant}-${world}`));
