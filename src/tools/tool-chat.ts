/** What a tool that is called in a conversation knows of it. Conversations add their fields by declaration merging. */
// oxlint-disable-next-line typescript/no-empty-object-type -- it is empty without conversations
export interface ToolChat {}
