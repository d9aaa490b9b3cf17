/** The fields of `agents.yaml` and `tasks.yaml`, for programs without the engine. */
export { isClassicField, type ClassicKind } from "../project/classic-entries.ts";
