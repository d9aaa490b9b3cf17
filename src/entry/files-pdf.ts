/** Splits PDFs too long for a provider. Loads its library, `pdf-lib`, for the first one. */
export { splitPdf } from "../files/pdf-pieces.ts";
