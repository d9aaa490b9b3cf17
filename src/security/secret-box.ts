import { fromBase64, toBase64 } from "../base/bytes.ts";
import { EngineError } from "../base/error.ts";

export const HOW_TO_MAKE_A_KEY =
  "secrets are stored encrypted, and this Worker has no key for that: set the secret EDGECREW_SECRETS_KEY to 32 random bytes in base64, " +
  "with `openssl rand -base64 32 | wrangler secret put EDGECREW_SECRETS_KEY` (on this machine: in .dev.vars)";

const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const VERSION = "v1.";

type Key = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

/** Returns the number of keys in a setting. */
export function keyCount(setting: string | undefined): number {
  return textsOf(setting).length;
}

function textsOf(setting = ""): readonly string[] {
  return setting
    .split(",")
    .map((text) => text.trim())
    .filter((text) => text !== "");
}

/**
 * Encrypts secrets with AES-GCM. A secret sealed for one owner cannot be opened for another. Of several keys, the first
 * encrypts, and all are tried to open.
 */
export class SecretBox {
  readonly #key: string | undefined;
  readonly #randomBytes: (length: number) => Uint8Array<ArrayBuffer>;
  #imported: Promise<readonly Key[]> | undefined;

  /** `key`: 32 bytes in base64; several with commas between them, the newest first. */
  constructor(key: string | undefined, randomBytes: (length: number) => Uint8Array<ArrayBuffer>) {
    this.#key = key;
    this.#randomBytes = randomBytes;
  }

  async seal(secret: string, owner: string): Promise<string> {
    const [key] = await this.#cryptoKeys();
    const iv = this.#randomBytes(NONCE_BYTES);
    const sealed = await crypto.subtle.encrypt(
      { name: "AES-GCM", iv, additionalData: bytesOf(owner) },
      key as Key,
      bytesOf(secret),
    );
    return `${VERSION}${toBase64(iv)}.${toBase64(new Uint8Array(sealed))}`;
  }

  /** Throws `unavailable` if the secret was sealed with another key. */
  async open(sealed: string, owner: string): Promise<string> {
    let cause: unknown;
    for (const key of await this.#cryptoKeys())
      try {
        return await openWith(key, sealed, owner);
      } catch (error) {
        cause ??= error;
      }
    throw new EngineError(
      "unavailable",
      `the secret of ${owner} was encrypted with another EDGECREW_SECRETS_KEY: store it again`,
      { cause },
    );
  }

  /** True if the encrypting key opens it. */
  async isCurrent(sealed: string, owner: string): Promise<boolean> {
    const [key] = await this.#cryptoKeys();
    return openWith(key as Key, sealed, owner).then(
      () => true,
      () => false,
    );
  }

  #cryptoKeys(): Promise<readonly Key[]> {
    return (this.#imported ??= this.#import());
  }

  #import(): Promise<readonly Key[]> {
    const texts = textsOf(this.#key);
    if (texts.length === 0)
      return Promise.reject(new EngineError("unavailable", HOW_TO_MAKE_A_KEY));
    return Promise.all(texts.map((text) => this.#importOne(text)));
  }

  async #importOne(text: string): Promise<Key> {
    const bytes = keyBytes(text);
    if (bytes?.length !== KEY_BYTES)
      throw new EngineError(
        "unavailable",
        `the secret EDGECREW_SECRETS_KEY must be ${KEY_BYTES} bytes in base64, got ${bytes === undefined ? "a text that is not base64" : `${bytes.length} bytes`}`,
      );
    return crypto.subtle.importKey("raw", bytes, "AES-GCM", false, ["encrypt", "decrypt"]);
  }
}

async function openWith(key: Key, sealed: string, owner: string): Promise<string> {
  const [iv = "", content = ""] = sealed.slice(VERSION.length).split(".");
  const opened = await crypto.subtle.decrypt(
    { name: "AES-GCM", iv: fromBase64(iv), additionalData: bytesOf(owner) },
    key,
    fromBase64(content),
  );
  return new TextDecoder().decode(opened);
}

function keyBytes(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return fromBase64(text);
  } catch {
    return undefined;
  }
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(new TextEncoder().encode(text));
}
