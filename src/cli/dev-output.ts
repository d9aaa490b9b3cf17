// Filters the output of wrangler while it serves a project.
//
//   DVO1. Faults, warnings and the Worker's log are printed completely; requests and wrangler's own progress only with
//         --verbose.

/** Begins a fault or a warning; it ends with an empty line. */
const FAULT = /^\s*(?:✘|▲|X \[ERROR\]|\[ERROR\])/u;
/** Irrelevant faults and warnings: the cron is fired here, and a failed build has already printed its reason. */
const KNOWN =
  /Scheduled Workers are not automatically triggered|Process exited with non-zero status|Running custom build `edgecrew build` failed/;
const READY = /Ready on |Local server updated and ready/;
/** Steps of a start, by their first lines in wrangler's output. */
const STEPS: ReadonlyArray<readonly [RegExp, string]> = [
  [/^\[custom build\] Running:/, "Building the definitions"],
  [/^Your Worker has access/, "Bundling the Worker"],
  [/^⎔ Starting local server/, "Starting its runtime"],
];
const PROGRESS =
  /^(?:⎔|─+$|╭|╰|│|\[wrangler:\w+\] [A-Z]+ \S+ \d{3}|\[wrangler:info\]|\[custom build\] Running:|\[custom build\]\s*$|Total Upload|🪵|Your Worker|Using (?:vars|secrets)|Parsed \d|\[custom build\] \.edgecrew\/definitions\.ts|\[custom build\]   (?:crews|flows|skills): |Binding\s+Resource|env\.\w+(?: \(|\s{2,}))/u;

/** Selects the lines to print. */
export class DevOutput {
  readonly #show: (line: string) => void;
  readonly #onReady: () => void;
  readonly #onStep: ((step: string) => void) | undefined;
  readonly #verbose: boolean;
  #rest = "";
  #isUp = false;
  /** Number of reported or skipped steps. */
  #steps = 0;
  #inFault = false;
  #isHidden = false;

  constructor(options: {
    readonly show: (line: string) => void;
    /** The Worker took new code. */
    readonly onReady?: () => void;
    /** Receives each step of the first start. */
    readonly onStep?: ((step: string) => void) | undefined;
    readonly verbose?: boolean;
  }) {
    this.#show = options.show;
    this.#onReady = options.onReady ?? (() => undefined);
    this.#onStep = options.onStep;
    this.#verbose = options.verbose ?? false;
  }

  readonly add = (text: string): void => {
    const lines = `${this.#rest}${text}`.split(/\r?\n/);
    this.#rest = lines.pop() ?? "";
    for (const line of lines) this.#line(line);
  };

  #line(line: string): void {
    const plain = line.replaceAll(/\u001b\[[\d;]*m/g, "");
    const isReady = READY.test(plain);
    if (!this.#isUp) this.#step(plain);
    const isFault = FAULT.test(plain);
    if (isFault) this.#inFault = true;
    else if (/^\S/u.test(plain)) this.#inFault = false; // lines of a fault are indented
    if (/^\S/u.test(plain)) this.#isHidden = isFault && KNOWN.test(plain);
    const isWorkers = this.#isUp && plain.trim() !== "" && !PROGRESS.test(plain) && !isReady;
    const isBuild = plain.startsWith("[custom build]") && !PROGRESS.test(plain);
    if (this.#verbose || (!this.#isHidden && (this.#inFault || isWorkers || isBuild)))
      this.#show(line);
    if (isReady) {
      this.#isUp = true;
      this.#onReady();
    }
  }

  /** Reports each step once. */
  #step(line: string): void {
    const at = STEPS.findIndex(([begin], index) => index >= this.#steps && begin.test(line));
    const [, step] = STEPS[at] ?? [];
    if (step === undefined) return;
    this.#steps = at + 1;
    this.#onStep?.(step);
  }
}
