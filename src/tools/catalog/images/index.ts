export { addImageToContent } from "./add-image.ts";
export { dallE } from "./dall-e.ts";
export { ocr } from "./ocr.ts";
export { vision } from "./vision.ts";
export { workersAiImage } from "./workers-ai-image.ts";
