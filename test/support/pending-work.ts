// Work that no clock of a test knows of: WebCrypto's, which is done on threads, and that of other worlds with clocks of their
// own. Whoever moves time by hand waits for it here.
let pending = 0;

/** Time does not pass by itself before this has ended. */
export async function elsewhere<T>(work: Promise<T>): Promise<T> {
  pending++;
  try {
    return await work;
  } finally {
    pending--;
  }
}

const { subtle } = globalThis.crypto;
for (const name of ["digest", "sign", "verify", "importKey", "exportKey", "generateKey"] as const) {
  const method = subtle[name].bind(subtle) as (...args: readonly unknown[]) => Promise<unknown>;
  const counted = (...args: readonly unknown[]): Promise<unknown> => elsewhere(method(...args));
  Object.defineProperty(subtle, name, { value: counted, configurable: true });
}

/** Resolves when nothing of that is under way, nor follows at once. */
export async function settledElsewhere(): Promise<void> {
  for (let quiet = 0; quiet < 2; quiet = pending === 0 ? quiet + 1 : 0)
    await new Promise((resolve) => setTimeout(resolve, 0));
}

// What runs load at its first use takes time that no clock of a test knows of, so it is loaded here.
await Promise.all([
  import("../../src/agent/planning/plan-and-execute.ts"),
  import("../../src/agent/skills/add-skills.ts"),
  import("../../src/crew/actions/chat-crew.ts"),
  import("../../src/crew/actions/test-crew.ts"),
  import("../../src/crew/actions/train-crew.ts"),
  import("../../src/files/deliver-files.ts"),
  import("../../src/files/file-lists.ts"),
  import("../../src/files/find-file.ts"),
  import("../../src/files/fit-request.ts"),
  import("../../src/llm/offline/demo-model.ts"),
]);
