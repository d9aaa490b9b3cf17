import { describeRunDirectory } from "../support/run-directory.suite.ts";
import { runs } from "./support/runs.ts";

describeRunDirectory({ name: "of Durable Objects, listed in D1", directory: runs });
