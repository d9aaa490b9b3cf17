// Crews and flows of known size, with everything counted that the platform bills.
import app, { CrewRun as Plain } from "./worker.ts";
import { countedWorker } from "./counting.ts";

const counted = countedWorker(app, Plain);
export const { CrewRun } = counted;
export default counted.handler;
