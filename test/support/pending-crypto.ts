// Work of WebCrypto is done on threads: no clock of a test knows of it. Whoever moves time by hand waits for it here.
let pending = 0;

const { subtle } = globalThis.crypto;
for (const name of ["digest", "sign", "verify", "importKey", "exportKey", "generateKey"] as const) {
  const method = subtle[name].bind(subtle) as (...args: readonly unknown[]) => Promise<unknown>;
  const counted = (...args: readonly unknown[]): Promise<unknown> => {
    pending++;
    return method(...args).finally(() => pending--);
  };
  Object.defineProperty(subtle, name, { value: counted, configurable: true });
}

/** Resolves when nothing is being hashed or signed, nor is by what follows at once. */
export async function cryptoSettled(): Promise<void> {
  for (let quiet = 0; quiet < 2; quiet = pending === 0 ? quiet + 1 : 0)
    await new Promise((resolve) => setTimeout(resolve, 0));
}
