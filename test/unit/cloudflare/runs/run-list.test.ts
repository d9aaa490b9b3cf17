import { describeRunLists } from "../../../support/run-list.suite.ts";
import { sqliteD1 } from "../../../support/sqlite-d1.ts";

describeRunLists({ name: "in SQLite", database: sqliteD1() });
