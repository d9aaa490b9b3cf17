/** What is kept of runs outside of them, and has to go with them. */
export type RunCare = {
  /** Called before a fork's first step, again if that is cut off. While it rejects, the fork does not begin. */
  readonly forked?: (run: {
    readonly tenant: string;
    readonly id: string;
    readonly from: string;
  }) => Promise<void>;
  /** Called before a run is deleted. While it rejects, the run is not deleted. */
  readonly forgotten?: (run: { readonly tenant: string; readonly id: string }) => Promise<void>;
};
