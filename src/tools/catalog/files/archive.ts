// Archives written file by file, so the packed files are never in memory as a whole.
import { Gzip, Zip, ZipDeflate } from "fflate";
import { joinBytes } from "../../../base/bytes.ts";
import { serviceFailure } from "../base/service-failure.ts";
import { tarEnd, tarHeader, tarPadding } from "./tar.ts";

/** Media types of archives, by their formats. */
export const ARCHIVE_TYPES = {
  zip: "application/zip",
  tar: "application/x-tar",
  "tar.gz": "application/gzip",
} as const;

export type ArchiveFormat = keyof typeof ARCHIVE_TYPES;

/** Maximum size of an archive. It must fit into the memory of a Worker, beside the file being packed. */
const MAX_PACKED_BYTES = 50_000_000;

/** Archive under construction. All of its files have the same time. */
export class Archive {
  readonly #pieces: Uint8Array[] = [];
  readonly #atMs: number;
  readonly #zip: Zip | undefined;
  readonly #gzip: Gzip | undefined;
  #length = 0;

  constructor(format: ArchiveFormat, atMs: number) {
    this.#atMs = atMs;
    if (format === "zip")
      this.#zip = new Zip((error, piece) => {
        if (error !== null) throw error;
        this.#keep(piece);
      });
    if (format === "tar.gz") {
      this.#gzip = new Gzip({ mtime: atMs, level: 6 }, (piece) => this.#keep(piece));
    }
  }

  /** Adds a file. Throws the failure `too_large` once the archive is too large. */
  add(name: string, content: Uint8Array): void {
    if (this.#zip === undefined) {
      this.#push(tarHeader({ path: name, content }, this.#atMs));
      this.#push(content);
      this.#push(tarPadding(content.length));
      return;
    }
    const file = new ZipDeflate(name, { level: 6 });
    file.mtime = this.#atMs;
    this.#zip.add(file);
    file.push(content, true);
  }

  /** Returns the whole archive. */
  end(): Uint8Array {
    this.#zip?.end();
    if (this.#zip === undefined) this.#push(tarEnd(), true);
    return joinBytes(this.#pieces);
  }

  #push(piece: Uint8Array, isLast = false): void {
    if (this.#gzip === undefined) this.#keep(piece);
    else this.#gzip.push(piece, isLast);
  }

  #keep(piece: Uint8Array): void {
    this.#length += piece.length;
    if (this.#length > MAX_PACKED_BYTES)
      throw serviceFailure({
        code: "too_large",
        message: `The packed file would be larger than ${MAX_PACKED_BYTES} bytes: pack less at once.`,
      });
    this.#pieces.push(piece);
  }
}
