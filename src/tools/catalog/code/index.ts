export { daytonaExec, daytonaFile, daytonaPython } from "./daytona.ts";
export { e2bExec, e2bFile, e2bPython } from "./e2b.ts";
export { codeInterpreter, runCode, sandboxCode, sandboxShell } from "./run-code.ts";
