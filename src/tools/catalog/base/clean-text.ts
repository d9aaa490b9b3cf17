export { cleanText } from "../../../base/clean-text.ts";
