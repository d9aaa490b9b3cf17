/** Conversation data for tools called in a conversation. Conversations add their fields by declaration merging. */
// oxlint-disable-next-line typescript/no-empty-object-type -- it is empty without conversations
export interface ToolChat {}
