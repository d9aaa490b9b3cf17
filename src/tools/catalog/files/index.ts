export { directoryRead } from "./directory-read.ts";
export { fileCompressor } from "./file-compressor.ts";
export { fileRead } from "./file-read.ts";
export { fileWriter } from "./file-writer.ts";
