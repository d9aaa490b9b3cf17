/** Client for a Worker's API. */
export { EdgecrewClient } from "./edgecrew-client.ts";
export { createClient } from "./create-client.ts";
export { createRunClient, runStore } from "./run-client.ts";
export type { RunClient } from "./run-client.ts";
export type { AnyApi, Api } from "./api.ts";
export type { KickoffOptions, StartOptions } from "./start-options.ts";
export type {
  KickoffForEachOptions,
  OverrideOptions,
  TestOptions,
  TrainOptions,
} from "./crews-api.ts";
export type { ContentOptions, ListFilesOptions, UploadOptions } from "./files-api.ts";
export type { Inputs, InputValue } from "./input-files.ts";
export type { PageOptions } from "./page-options.ts";
export type { BackupOptions } from "./backup-api.ts";
export type { ListRunsOptions } from "./started-runs-api.ts";
export type { ListMemoriesOptions, MemoryViewer } from "./memory-api.ts";
export { START_KINDS } from "./start-kinds.ts";
export type { StartKind } from "./start-kinds.ts";
/** A run over HTTP. */
export { RemoteRun } from "./remote-run.ts";
export type { ForkOptions } from "./remote-run.ts";
export type { EventPageOptions, JournalOptions, ModelCallsOptions } from "./run-reads.ts";
export type { EventPage } from "../runtime/event-page.ts";
export type { JournalPage } from "../runtime/journal-page.ts";
export type { ModelCallSummary } from "../runtime/model-call-list.ts";
export type { StepCause } from "../runtime/step-cause.ts";
export type { StepDetail, StepRetry } from "../runtime/step-detail.ts";
export type { BodyBytes, ClientOptions } from "./transport.ts";
export type { SignedDelivery } from "./webhooks-api.ts";
/** Live values of a run, and of lists of runs and waits. */
export { reduceRun } from "./store/reduce-run.ts";
export { emptyRunState } from "./store/run-state.ts";
export { sessionPersist } from "./store/persist.ts";
export { sharedTabs } from "./store/shared-tabs.ts";
export type { SharedTabsOptions } from "./store/shared-tabs.ts";
export type {
  ChangesConnection,
  ChangesSource,
  ChangesNews,
  RunChange,
} from "./store/changes-source.ts";
export type {
  AgentState,
  AnswerState,
  CallText,
  Message,
  OpenWait,
  Reply,
  RunState,
  StoreConnection,
} from "./store/run-state.ts";
export type { RunStore, RunStoreOptions } from "./store/run-store.ts";
export type { Persist, SavedRun } from "./store/persist.ts";
export type { RunListState, RunListStore } from "./store/run-list.ts";
export type { InboxItem, WaitListState, WaitListStore } from "./store/wait-list.ts";
export type { ListWaitsOptions } from "./store/wait-list.ts";
/** Folds events into the texts of models so far. */
export { foldWords } from "../wire/call-words.ts";
export type { CallWords, ToolCallWords, Words } from "../wire/call-words.ts";
/** Folds a definition's graph and a run's events into the graph of the run. */
export { applyGraphEvent, GRAPH_EVENTS, graphOfRun, noGraphProgress } from "../wire/node-states.ts";
export type { GraphEvent, GraphProgress } from "../wire/node-states.ts";
export type { Graph, GraphEdge, GraphGroup, GraphNode, NodeState } from "../wire/graph.ts";
export type { GraphOptions } from "./graph-request.ts";
/** Rejection of every call. */
export { EngineError } from "../base/error.ts";
export type { ErrorCode, Issue } from "../base/error.ts";
/** Answers of calls. */
export type { BackupContents, RestoredRun } from "../backup/backup-views.ts";
export type { BackupRow, RestoredRows } from "../backup/backup-rows.ts";
export type { Training } from "../crew/actions/training.ts";
export type { ChatMessage } from "../crew/actions/chat-messages.ts";
export type { AgentView } from "../agent/operations/agents.ts";
export type { ToolView } from "../tools/operations/tools.ts";
export type { ConversationDetails, ConversationView } from "../conversation/operations/shapes.ts";
export type { MessageView } from "../conversation/operations/shapes.ts";
export type { ConversationOutput } from "../conversation/runnable-conversation.ts";
export type { FlowDetails, FlowView } from "../flow/operations/shapes.ts";
export type { CrewDetails, CrewView } from "../crew/operations/shapes.ts";
export type { EvaluationView } from "../crew/operations/shapes.ts";
export type { ExportedRun, ExportedStep } from "../runtime/export-run.ts";
export type { ModelCallView } from "../runtime/model-call-view.ts";
export type { Checkpoint, CheckpointDiff } from "../runtime/checkpoints.ts";
export type { About } from "../http/operations/about.ts";
export type { ObjectSchema } from "../parts/worker-facts.ts";
export type { Pruned } from "../http/operations/run-shapes.ts";
export type { CreatedKey, KeyView } from "../http/operations/keys.ts";
export type { WebhookView } from "../triggers/webhooks.ts";
export type { FiringView, ScheduleDetails, ScheduleView } from "../triggers/schedules.ts";
export type { MemoryIndexState, RecalledMemories } from "../memory/operations/schemas.ts";
export type { IndexedDocument } from "../knowledge/index-document.ts";
export type {
  CollectionView,
  DocumentView,
  SnippetsView,
} from "../knowledge/operations/schemas.ts";
export type { FileKind, FileRef } from "../files/file-ref.ts";
export type { FileUrl } from "../files/operations/schemas.ts";
export type { WorkspaceFile } from "../files/workspace.ts";
export type { MemoryRecord, ScopeInfo } from "../memory/memory-record.ts";
export type { EventType, LiveEvent, RunEvent } from "../feature-events.ts";
export type { Page, RunSummary, WaitSummary } from "../runtime/run-directory.ts";
export type {
  ConnectionState,
  EventsOptions,
  ResumeRequest,
  RunHandle,
} from "../runtime/handle/run-handle.ts";
export type { Run, RunStatus, Step, TaskState, Wait } from "../runtime/run.ts";
export type { MessageReceipt, MessageRequest, RunMessage } from "../runtime/mailbox/run-message.ts";
/** Output of a batch. */
export type { BatchItem, BatchOutput } from "../crew/batch/batch.ts";
