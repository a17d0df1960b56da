/** How a row stands out. Each has an icon of its own shape: colors alone say nothing to many people. */
export type Tone = "ok" | "busy" | "quiet" | "warning" | "error";

export type RowButton = { label: string; act: () => void };

/** A row of the sidebar in words. Every text may come from anywhere, and is shown as text. */
export type RowView = {
  key: string;
  tone: Tone;
  title: string;
  /** Whether the title is a sentence, which is never cut. */
  isSentence?: boolean;
  /** Beside the title. */
  state: string;
  /** Unix milliseconds: how long ago that was is shown after the state. */
  since?: number;
  lines: readonly string[];
  /** What is wrong, in words. */
  problem?: string | undefined;
  /** The node that the row opens. */
  opens: string | undefined;
  buttons?: readonly RowButton[];
};
