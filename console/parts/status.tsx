import type { RunStatus, StepState } from "../api-types.ts";
import { Icon, type IconName } from "./icon.tsx";

type Look = { readonly word: string; readonly icon: IconName; readonly tone: string };

const RUN: Readonly<Record<RunStatus | "held" | "paused", Look>> = {
  queued: { word: "Queued", icon: "queued", tone: "calm" },
  running: { word: "Running", icon: "running", tone: "busy" },
  waiting: { word: "Waiting", icon: "waiting", tone: "wait" },
  completed: { word: "Completed", icon: "completed", tone: "good" },
  failed: { word: "Failed", icon: "failed", tone: "bad" },
  cancelled: { word: "Cancelled", icon: "cancelled", tone: "calm" },
  held: { word: "Held", icon: "held", tone: "wait" },
  paused: { word: "Paused", icon: "held", tone: "calm" },
};

const STEP: Readonly<Record<StepState, Look>> = {
  started: { word: "Running", icon: "running", tone: "busy" },
  done: { word: "Done", icon: "completed", tone: "good" },
  error: { word: "Failed", icon: "failed", tone: "bad" },
  waiting: { word: "Waiting", icon: "waiting", tone: "wait" },
};

export const statusWord = (status: keyof typeof RUN): string => RUN[status].word;

/** A sign, a word and a colour: never the colour alone. */
export function Status({ status }: { readonly status: keyof typeof RUN }) {
  return <Shown {...RUN[status]} />;
}

export function StepStatus({ state }: { readonly state: StepState }) {
  return <Shown {...STEP[state]} />;
}

function Shown({ word, icon, tone }: Look) {
  return (
    <span className={`status ${tone}${icon === "running" ? " turning" : ""}`}>
      <Icon name={icon} size={15} />
      <span className="status-word">{word}</span>
    </span>
  );
}
