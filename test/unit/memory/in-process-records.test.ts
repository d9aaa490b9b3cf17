import { InProcessRecords } from "../../../src/memory/in-process-records.ts";
import { describeMemoryRecords } from "../../support/memory-records.suite.ts";

describeMemoryRecords({ name: "in this process", open: () => new InProcessRecords() });
