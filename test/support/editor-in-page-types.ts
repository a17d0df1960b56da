export type Stored = { valid: boolean; validationErrors: string[]; values: Record<string, unknown> };

export type EditorNode = { id: string; type: string; z: string; valid: boolean; validationErrors: string[] };

/** The functions of editor-in-page.js, which run within the page. */
export type InPage = {
  letGo(): Promise<boolean>;
  load(): Promise<void>;
  defaults(type: string): Promise<{
    values: Record<string, unknown>;
    references: Array<[name: string, type: string]>;
    credentials: string[];
    isConfig: boolean;
  }>;
  nodes(): Promise<EditorNode[]>;
  /** The names of the subflows. */
  subflows(): Promise<string[]>;
  stored(id: string): Promise<Stored>;
  edit(id: string): Promise<boolean>;
  opened(isConfig: boolean): Promise<void>;
  close(isConfig: boolean, button: "ok" | "cancel"): Promise<void>;
  leave(): Promise<void>;
  leaveAll(): Promise<boolean>;
  finish(): Promise<void>;
  changed(): Promise<string[]>;
  exported(ids: readonly string[]): Promise<string>;
  completeFlow(): Promise<string>;
  references(): Promise<Array<{ name: string; type: string; chosen: string }>>;
  checked(): Promise<string[]>;
  texts(): Promise<string[]>;
  lonelyLabels(): Promise<string[]>;
  nameless(): Promise<string[]>;
  named(text: string): Promise<string[]>;
  passedBy(): Promise<string[]>;
  searched(): Promise<string[]>;
  put(name: string, value: string): Promise<string>;
  refusal(name: string): Promise<string | undefined>;
  faint<Theme extends string>(least: number, themes: readonly Theme[]): Promise<Record<Theme, string[]>>;
  drawn(): Promise<Array<{ type: string; color: string; label: number; icon: number }>>;
  showTheme(theme: "light" | "dark"): Promise<void>;
  unfold(): Promise<void>;
  cutOff(): Promise<string[]>;
  fields(): Promise<string[]>;
  focused(): Promise<string | undefined>;
  focus(field: string): Promise<string | undefined>;
  undoAll(): Promise<void>;
  choices(): Promise<Array<{ id: string; options: Array<string | boolean>; chosen: string | boolean }>>;
  choose(id: string, option: string | boolean): Promise<void>;
};
