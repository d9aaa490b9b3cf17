import { fromBase64, toBase64 } from "../base/bytes.ts";
import { EngineError } from "../base/error.ts";

export const HOW_TO_MAKE_A_KEY =
  "secrets are stored encrypted, and this Worker has no key for that: set the secret EDGECREW_SECRETS_KEY to 32 random bytes in base64, " +
  "with `openssl rand -base64 32 | wrangler secret put EDGECREW_SECRETS_KEY` (on this machine: in .dev.vars)";

const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const VERSION = "v1.";

type Key = Awaited<ReturnType<typeof crypto.subtle.importKey>>;

/** Encrypts secrets with AES-GCM; a secret that was sealed for one owner cannot be opened for another. */
export class SecretBox {
  readonly #key: string | undefined;
  readonly #randomBytes: (length: number) => Uint8Array<ArrayBuffer>;
  #imported: Promise<Key> | undefined;

  /** `key`: 32 bytes in base64. */
  constructor(key: string | undefined, randomBytes: (length: number) => Uint8Array<ArrayBuffer>) {
    this.#key = key;
    this.#randomBytes = randomBytes;
  }

  async seal(secret: string, owner: string): Promise<string> {
    const key = await this.#cryptoKey();
    const iv = this.#randomBytes(NONCE_BYTES);
    const sealed = await crypto.subtle.encrypt(
      { name: "AES-GCM", iv, additionalData: bytesOf(owner) },
      key,
      bytesOf(secret),
    );
    return `${VERSION}${toBase64(iv)}.${toBase64(new Uint8Array(sealed))}`;
  }

  /** Throws `unavailable` if the secret was sealed with another key. */
  async open(sealed: string, owner: string): Promise<string> {
    const key = await this.#cryptoKey();
    const [iv = "", content = ""] = sealed.slice(VERSION.length).split(".");
    try {
      const opened = await crypto.subtle.decrypt(
        { name: "AES-GCM", iv: fromBase64(iv), additionalData: bytesOf(owner) },
        key,
        fromBase64(content),
      );
      return new TextDecoder().decode(opened);
    } catch (cause) {
      throw new EngineError(
        "unavailable",
        `the secret of ${owner} was encrypted with another EDGECREW_SECRETS_KEY: store it again`,
        { cause },
      );
    }
  }

  #cryptoKey(): Promise<Key> {
    return (this.#imported ??= this.#import());
  }

  async #import(): Promise<Key> {
    if (this.#key === undefined || this.#key === "")
      throw new EngineError("unavailable", HOW_TO_MAKE_A_KEY);
    const bytes = keyBytes(this.#key.trim());
    if (bytes?.length !== KEY_BYTES)
      throw new EngineError(
        "unavailable",
        `the secret EDGECREW_SECRETS_KEY must be ${KEY_BYTES} bytes in base64, got ${bytes === undefined ? "a text that is not base64" : `${bytes.length} bytes`}`,
      );
    return crypto.subtle.importKey("raw", bytes, "AES-GCM", false, ["encrypt", "decrypt"]);
  }
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
