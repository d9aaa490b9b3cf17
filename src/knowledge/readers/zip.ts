// Entries of a ZIP, unpacked piece by piece.
//
//   RZ1. Unpacked bytes are counted as they come, independent of the directory: at most `MAX_UNPACKED_BYTES` for all
//        entries together.
//   RZ2. Truncated ZIPs and oversized ZIPs have different errors.
import { Inflate } from "fflate";
import { EngineError, errorMessage } from "../../base/error.ts";
import { MAX_UNPACKED_BYTES } from "../document-text.ts";

const MAX_ENTRIES = 10_000;
/** Packed bytes per piece; they may expand a thousandfold. */
const PACKED_PIECE = 4 * 1024;
const END_LENGTH = 22;
const MAX_COMMENT = 0xffff;
const SIGNATURES = {
  end: 0x06054b50,
  directory: 0x02014b50,
  entry: 0x04034b50,
  compound: 0xe011cfd0,
};
const ENCRYPTED = 1;

type Entry = { readonly offset: number; readonly packed: number; readonly method: number };

export class ZipFile {
  readonly #what: string;
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #entries = new Map<string, Entry>();
  #unpacked = 0;

  /** `what` names the document in messages. Throws `invalid_input` for bytes of an incomplete ZIP. */
  constructor(bytes: Uint8Array, what: string) {
    this.#what = what;
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    if (this.#number(0, 4) === SIGNATURES.compound)
      throw new EngineError(
        "invalid_input",
        `the document is no ${what}: it has a password, or is of the format before it (.doc, .xls); save it as ${what}, without a password, in Excel, Word or LibreOffice (soffice --headless --convert-to ${what.toLowerCase()} <file>)`,
      );
    if (this.#number(0, 4) !== SIGNATURES.entry)
      throw new EngineError("invalid_input", `the document is no ${what}: it is no ZIP file`);
    this.#readDirectory();
  }

  has(name: string): boolean {
    return this.#entries.has(name);
  }

  /**
   * Yields the text of an entry; yields no text for a missing entry. An entry that is looked through before it is read
   * is counted once (RZ1).
   */
  *text(name: string, { isCounted = true } = {}): Generator<string> {
    let decoder: InstanceType<typeof TextDecoder> | undefined;
    let unpacked = 0;
    try {
      for (const piece of this.#pieces(name)) {
        unpacked += piece.length;
        if (isCounted) this.#unpacked += piece.length;
        if ((isCounted ? this.#unpacked : unpacked) > MAX_UNPACKED_BYTES) throw this.#tooLarge();
        const [first, second] = piece;
        const isUtf16 = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
        decoder ??= new TextDecoder(
          isUtf16 ? (first === 0xff ? "utf-16le" : "utf-16be") : "utf-8",
          { fatal: true, ignoreBOM: false },
        );
        yield decoder.decode(piece, { stream: true });
      }
    } catch (error) {
      if (EngineError.is(error)) throw error;
      throw this.#broken(`${name} cannot be unpacked: ${errorMessage(error)}`);
    }
  }

  *#pieces(name: string): Generator<Uint8Array> {
    const entry = this.#entries.get(name);
    if (entry === undefined) return;
    const { offset, packed, method } = entry;
    if (this.#number(offset, 4) !== SIGNATURES.entry)
      throw this.#broken(`${name} is not at the place in the directory`);
    const start = offset + 30 + this.#number(offset + 26, 2) + this.#number(offset + 28, 2);
    const data = this.#bytes.subarray(start, start + packed);
    if (data.length < packed) throw this.#broken("it ends too early");
    const found: Uint8Array[] = [];
    const inflate = new Inflate((piece) => found.push(piece));
    for (let at = 0; at < data.length; at += PACKED_PIECE) {
      const piece = data.subarray(at, at + PACKED_PIECE);
      if (method === 0) found.push(piece);
      else inflate.push(piece, at + PACKED_PIECE >= data.length);
      for (const each of found.splice(0)) if (each.length > 0) yield each;
    }
  }

  #readDirectory(): void {
    const length = this.#bytes.length;
    let end = length - END_LENGTH;
    while (end >= 0 && this.#number(end, 4) !== SIGNATURES.end)
      if (end-- < length - END_LENGTH - MAX_COMMENT) break;
    if (end < 0 || this.#number(end, 4) !== SIGNATURES.end)
      throw this.#broken("its directory is missing");
    let at = this.#number(end + 16, 4);
    const entries = this.#number(end + 10, 2);
    if (entries > MAX_ENTRIES) throw this.#tooLarge();
    for (let entry = 0; entry < entries; entry++) {
      if (this.#number(at, 4) !== SIGNATURES.directory)
        throw this.#broken("its directory is not at the stated place");
      const name = at + 46;
      const nameLength = this.#number(at + 28, 2);
      const method = this.#number(at + 10, 2);
      const text = new TextDecoder().decode(this.#bytes.subarray(name, name + nameLength));
      if ((this.#number(at + 8, 2) & ENCRYPTED) !== 0 || (method !== 0 && method !== 8))
        throw new EngineError(
          "invalid_input",
          `the ${this.#what} is encrypted, or packed in a way that is not read: save it without a password`,
        );
      this.#entries.set(text, {
        method,
        packed: this.#number(at + 20, 4),
        offset: this.#number(at + 42, 4),
      });
      at = name + nameLength + this.#number(at + 30, 2) + this.#number(at + 32, 2);
    }
  }

  #number(at: number, bytes: 2 | 4): number {
    if (at < 0 || at + bytes > this.#bytes.length) return -1;
    return bytes === 2 ? this.#view.getUint16(at, true) : this.#view.getUint32(at, true);
  }

  #broken(why: string): EngineError {
    return new EngineError("invalid_input", `the ${this.#what} is broken or was cut off: ${why}`);
  }

  #tooLarge(): EngineError {
    return new EngineError(
      "limit_exceeded",
      `the ${this.#what} unpacks to more than ${MAX_UNPACKED_BYTES} bytes or ${MAX_ENTRIES} files, which is too much to read`,
    );
  }
}
