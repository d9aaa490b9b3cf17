// A2UI over A2A: constants shared by client and server.

/** Components of A2UI's standard catalog. */
export const A2UI_COMPONENTS = [
  "Text",
  "Image",
  "Icon",
  "Video",
  "AudioPlayer",
  "Row",
  "Column",
  "List",
  "Card",
  "Tabs",
  "Divider",
  "Modal",
  "Button",
  "CheckBox",
  "TextField",
  "DateTimeInput",
  "MultipleChoice",
  "Slider",
] as const;

/** Versions of A2UI. */
export type A2UIVersion = "v0.8" | "v0.9";

/** Media type of parts with user interfaces. */
export const A2UI_TYPE = "application/json+a2ui";

/** Prefix of the extension's URIs; its version follows. */
export const A2UI_URI = "https://a2ui.org/a2a-extension/a2ui/";
