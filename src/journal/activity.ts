// Activity: counts the busy steps of a drive, so that the journal notices exactly when nothing moves any more.
//
// A step, or the program itself, is busy while its own code may be running. It is not busy while it waits for its
// nested steps, which are busy instead. With zero busy steps, only answers from outside can move the run.

export class Activity {
  readonly parent: Activity | undefined;
  /** Key of its step; null for the program itself. */
  readonly key: string | null;
  /** Number of its open nested steps. */
  nested = 0;
  busy = false;
  /** True once its code has returned. Nested steps it did not wait for may still be open. */
  ended = false;
  /** True once its code has failed and will run again. The failed execution opens no further step. */
  abandoned = false;
  /** Called when this step opens its first nested step. */
  onNested: (() => void) | undefined;
  /** Called when its last nested step has ended and its own code continues. */
  onResumed: (() => void) | undefined;

  /**
   * True once its own code, or the code of an enclosing step, has ended. Remaining code opens no further step (J16).
   */
  get isLeftBehind(): boolean {
    if (this.ended || this.abandoned) return true;
    return this.parent !== undefined && this.parent.isLeftBehind;
  }

  constructor(parent?: Activity, key: string | null = null) {
    this.parent = parent;
    this.key = key;
  }
}

/** Counts the busy activities of one drive. */
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

  /** Closes a step: its parent's own code continues if this was the last one it waited for. */
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

  /** Creates the activity for the next execution of an abandoned step. */
  again(activity: Activity): Activity {
    const next = new Activity(activity.parent, activity.key);
    next.busy = activity.busy;
    activity.busy = false;
    return next;
  }

  /** Marks a step as waiting for its next attempt, until `start` is called. */
  idle(activity: Activity): void {
    this.#pause(activity);
  }

  /** Keeps the drive busy for work outside any step, until the returned function is called. */
  hold(): () => void {
    this.#busy++;
    return () => this.#busy--;
  }

  /**
   * Marks a step as resting: it does not continue in this drive, its parent keeps waiting for it, and it is not busy.
   */
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
