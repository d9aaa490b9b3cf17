/** What a tool that is called in a conversation knows of it. Conversations add their fields by declaration merging. */
export interface ToolChat {}
