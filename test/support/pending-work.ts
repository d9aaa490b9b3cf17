// Work that no clock of a test knows of: WebCrypto's, which is done on threads, the loading of parts, and that of other worlds with clocks of their
// own. Whoever moves time by hand waits for it here.
import { partsLoaded } from "../../src/base/load-part.ts";

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
  for (let quiet = 0; quiet < 2; quiet = pending === 0 && !(await partsLoaded()) ? quiet + 1 : 0)
    await new Promise((resolve) => setTimeout(resolve, 0));
}
