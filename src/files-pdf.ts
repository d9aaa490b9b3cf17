/** Cuts PDFs that are too long for a provider. Its library, `pdf-lib`, is loaded when the first one comes. */
export { splitPdf } from "./files/pdf-pieces.ts";
