// Activity: who is busy in a drive, so that "nothing moves any more" can be told exactly.
//
// A step, or the program itself, is busy while its own code may be running. It is not busy while it waits for steps
// of its own: those are. When nobody is busy, only answers from outside can move the run.

export class Activity {
  readonly parent: Activity | undefined;
  /** Key of its step; null for the program itself. */
  readonly key: string | null;
  /** Own steps that are open. */
  nested = 0;
  busy = false;
  /** Its code has returned; steps it did not wait for may still be open. */
  ended = false;
  /** Its code has failed and is to run again: what it left behind opens no step any more. */
  abandoned = false;
  /** Called when this step opens its first own step. */
  onNested: (() => void) | undefined;
  /** Called when the last of its own steps has ended and its code goes on. */
  onResumed: (() => void) | undefined;

  /** Whether its code, or that of a step around it, has come to an end: what that left behind opens no step any more (J16). */
  get isLeftBehind(): boolean {
    if (this.ended || this.abandoned) return true;
    return this.parent !== undefined && this.parent.isLeftBehind;
  }

  constructor(parent?: Activity, key: string | null = null) {
    this.parent = parent;
    this.key = key;
  }
}

/** Counts the busy ones of one drive. */
export class ActivityCount {
  #busy = 0;

  get busy(): number {
    return this.#busy;
  }

  /** Opens the step `key` below `parent`; it is not busy before `start`. */
  open(parent: Activity, key: string): Activity {
    if (parent.nested === 0) parent.onNested?.();
    parent.nested++;
    this.#pause(parent);
    return new Activity(parent, key);
  }

  start(activity: Activity): void {
    if (activity.busy) return;
    activity.busy = true;
    this.#busy++;
  }

  /** Closes a step: its parent's own code goes on if this was the last one it waited for. */
  close(activity: Activity): void {
    activity.ended = true;
    this.#pause(activity);
    const { parent } = activity;
    if (parent === undefined) return;
    parent.nested--;
    if (parent.nested > 0 || parent.ended) return;
    this.start(parent);
    parent.onResumed?.();
  }

  /** For the next execution of a step that was abandoned. */
  again(activity: Activity): Activity {
    const next = new Activity(activity.parent, activity.key);
    next.busy = activity.busy;
    activity.busy = false;
    return next;
  }

  /** A step that waits for its next try; `start` ends that. */
  idle(activity: Activity): void {
    this.#pause(activity);
  }

  /** Something that is no step keeps the drive busy, until the returned function is called. */
  hold(): () => void {
    this.#busy++;
    return () => this.#busy--;
  }

  /** A step that goes no further in this drive: its parent keeps waiting for it, and it is not busy any more. */
  rest(activity: Activity): void {
    activity.ended = true;
    this.#pause(activity);
  }

  #pause(activity: Activity): void {
    if (!activity.busy) return;
    activity.busy = false;
    this.#busy--;
  }
}
