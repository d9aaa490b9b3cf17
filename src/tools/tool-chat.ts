/** Conversation data for tools called in a conversation. Conversations add their fields by declaration merging. */
export interface ToolChat {}
