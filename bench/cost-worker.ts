// The examples of this repository, with everything counted that the platform bills.
import app, { CrewRun as Plain, McpSessions, VectorIndex } from "../examples/worker.ts";
import { countedWorker } from "./counting.ts";

export { McpSessions, VectorIndex };
const counted = countedWorker(app, Plain);
export const { CrewRun } = counted;
export default counted.handler;
