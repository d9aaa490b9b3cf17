import type { Clock } from "../base/clock.ts";
import { systemClock } from "../base/system.ts";
import {
  MAX_UPLOADS,
  UPLOAD_MARGIN_MS,
  type Upload,
  type UploadCache,
  type UploadKey,
} from "./upload-cache.ts";

/** Uploads in this process. */
export class InMemoryUploadCache implements UploadCache {
  readonly #clock: Clock;
  readonly #uploads = new Map<string, UploadKey & Upload>();

  constructor(clock: Clock = systemClock) {
    this.#clock = clock;
  }

  async get(key: UploadKey): Promise<Upload | undefined> {
    const found = this.#uploads.get(textOf(key));
    return found !== undefined && found.expiresAtMs - UPLOAD_MARGIN_MS > this.#clock.now()
      ? found
      : undefined;
  }

  async put(key: UploadKey, upload: Upload): Promise<void> {
    this.#uploads.delete(textOf(key));
    this.#uploads.set(textOf(key), { ...key, ...upload });
    const [oldest] = this.#uploads.keys();
    if (this.#uploads.size > MAX_UPLOADS && oldest !== undefined) this.#uploads.delete(oldest);
  }

  async delete(key: UploadKey): Promise<void> {
    this.#uploads.delete(textOf(key));
  }

  async ofFile(sha256: string): Promise<ReadonlyArray<UploadKey & Upload>> {
    return [...this.#uploads.values()].filter((each) => each.sha256 === sha256);
  }
}

function textOf({ provider, account, sha256 }: UploadKey): string {
  return `${provider} ${account} ${sha256}`;
}
