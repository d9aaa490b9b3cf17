import { env } from "cloudflare:workers";
import { describeRunLists } from "../support/run-list.suite.ts";

describeRunLists({ name: "in D1", database: env.DB });
