/** The part of the Node-RED editor that our forms use, typed narrowly. */

/** A node being edited: its stored properties, and the translator of its own catalog. */
export type EditedNode = {
  id: string;
  name?: string;
  _(key: string, values?: Record<string, unknown>): string;
  [property: string]: unknown;
};

/** `true`, or the sentence the editor shows. Both parameters must be declared for a sentence to be shown. */
export type Validator = (this: EditedNode, value: string, options?: unknown) => boolean | string;

type PropertyDef = {
  value: unknown;
  required?: boolean;
  type?: string;
  validate?: Validator;
};

export type NodeTypeDef = {
  /** One family, found together at a glance. */
  category: "CRE Connect" | "config";
  color?: string;
  icon?: string;
  defaults: Record<string, PropertyDef>;
  credentials?: Record<string, { type: "password" | "text"; validate?: Validator }>;
  inputs?: number;
  outputs?: number;
  align?: "left" | "right";
  paletteLabel?: (this: EditedNode) => string;
  label(this: EditedNode): string;
  labelStyle?: (this: EditedNode) => string;
  inputLabels?: (this: EditedNode, index: number) => string;
  outputLabels?: (this: EditedNode, index: number) => string;
  onadd?: (this: EditedNode) => void;
  oneditprepare?: (this: EditedNode) => void;
  oneditsave?: (this: EditedNode) => void;
  oneditcancel?: (this: EditedNode) => void;
  oneditresize?: (this: EditedNode, size: { width: number; height: number }) => void;
};

/** A config node in the editor, deployed or not. */
export type ConfigNode = { id: string; type: string; name?: string; [property: string]: unknown };

/** What undo takes back. */
export type HistoryEvent = {
  t: string;
  /** The ids of those that were added. */
  nodes?: string[];
  events?: HistoryEvent[];
  /** One that was edited, and its values before. */
  node?: ConfigNode;
  changes?: Record<string, unknown>;
  /** Called after undo and redo. */
  callback?: () => void;
};

/** What Node-RED shows at a field while the pointer is over it. */
export type Tooltip = { setContent(text: string): void; delete(): void };

type EditorRed = {
  nodes: {
    registerType(type: string, def: NodeTypeDef): void;
    id(): string;
    eachNode(visit: (node: ConfigNode) => void): void;
    eachConfig(visit: (node: ConfigNode) => void): void;
    node(id: string): ConfigNode | null;
    remove(id: string): void;
    subflow(id: string): object | undefined;
    /** A tab. */
    workspace(id: string): { disabled?: boolean; label?: string } | undefined;
    /** The flows as they were loaded or deployed last. */
    originalFlow(): ConfigNode[] | null | undefined;
    /** The tabs. */
    eachWorkspace(visit: (tab: { id: string; label?: string }) => void): void;
    /** Whether there is something to deploy. */
    dirty(isDirty: boolean): void;
    /** All that the editor has, as an export has it. */
    createCompleteNodeSet(options: { credentials: boolean }): ConfigNode[];
    registry: {
      /** Which package a type is of. */
      getNodeSetForType(type: string): { module: string } | null | undefined;
    };
  };
  workspaces: {
    /** The id of the flow or subflow that is shown. */
    active(): string;
  };
  utils: {
    getNodeLabel(node: ConfigNode, otherwise?: string): string;
  };
  events: {
    on(event: string, hear: (node: ConfigNode) => void): void;
    off(event: string, hear: (node: ConfigNode) => void): void;
    emit(event: string, node: ConfigNode): void;
  };
  editor: {
    edit(node: ConfigNode): void;
    editConfig(name: string, type: string, id: string): void;
    /** The nodes whose forms are open, the one on top last. */
    getEditStack(): ConfigNode[];
    validateNode(node: ConfigNode): void;
  };
  history: {
    /** What undo would take back next. */
    peek(): HistoryEvent | undefined;
  };
  popover: { tooltip(target: JQuery, content: string): Tooltip };
  clipboard: {
    /** Whether the browser allowed it. */
    copyText(text: string): boolean;
  };
  settings: { context?: { stores?: string[] } };
  /** HTML, where it is text. */
  notify(message: string | JQuery, options?: { type?: string; timeout?: number }): void;
  /** A text of any catalog: `@crec-nodes/node-red-crec/monitor:monitor.label.sidebar`. */
  _(key: string, values?: Record<string, unknown>): string;
  plugins: { registerPlugin(id: string, plugin: { type?: string; onadd: () => void }): void };
  sidebar: { addTab(tab: SidebarTab): void; containsTab(id: string): boolean; show(id: string): void };
  actions: {
    add(name: string, act: () => void, options: { label: string }): void;
    invoke(name: string): void;
    list(): Array<{ id: string }>;
  };
  view: {
    /** Shows the tab of a node, and the node in the middle of it. */
    reveal(id: string): void;
    select(selection: { nodes: ConfigNode[] }): void;
  };
  /** The editor's language, as the tag of a catalog. */
  i18n: { lang(): string };
  /** Whether the flows run. */
  runtime?: { readonly started: boolean };
  /** The editor's web socket. */
  comms: {
    subscribe(topic: string, hear: (topic: string, data: unknown) => void): void;
    /** Since Node-RED 4.1. */
    send?(topic: string, data: object): void;
    on?(event: "connect", hear: () => void): void;
  };
};

type SidebarTab = {
  id: string;
  label: string;
  /** Of its entry in the menu. */
  name: string;
  iconClass: string;
  content: HTMLElement;
  /** Of the action that shows it. */
  action: string;
  /** Whether it can be used while a form is open. */
  enableOnEdit: boolean;
};

declare global {
  const RED: EditorRed;
  interface JQuery {
    typedInput(options: TypedInputOptions): JQuery;
    typedInput(method: "value" | "type"): string;
    typedInput(method: "validate", options: { returnErrorMessage: true }): boolean | string;
    typedInput(method: "value" | "type", value: string): JQuery;
    typedInput(method: "types", types: Array<string | TypedInputType>): JQuery;
    editableList(options: EditableListOptions): JQuery;
    editableList(method: "addItem" | "removeItem", item: unknown): JQuery;
    editableList(method: "items"): JQuery;
    dialog(options: DialogOptions): JQuery;
    dialog(method: "close" | "destroy" | "widget"): JQuery;
    autoComplete(options: { minLength?: number; search: CompletionSearch }): JQuery;
  }
}

/** Of jQuery UI. */
type DialogOptions = {
  modal: boolean;
  title: string;
  width: number;
  resizable: boolean;
  classes: Record<string, string>;
  buttons: Array<{ text: string; class?: string; click: () => void }>;
  close: () => void;
};

type EditableListOptions = {
  addItem: (container: JQuery, index: number, item: unknown) => void;
  addButton?: string;
  /** Or the selector of what the items are dragged by. */
  sortable?: boolean | string;
  sortItems?: () => void;
  removable?: boolean;
  removeItem?: () => void;
  ariaLabel?: string;
  scrollOnAdd?: boolean;
  height?: string | number;
};

export type Completion = { value: string; label: string | JQuery };
export type CompletionSearch = (text: string, done: (completions: Completion[]) => void) => void;

export type TypedInputType = {
  value: string;
  label?: string;
  icon?: string;
  hasValue?: boolean;
  multiple?: boolean | string;
  options?: Array<{ value: string; label: string }>;
  autoComplete?: CompletionSearch;
};

type TypedInputOptions = {
  default?: string;
  types: Array<string | TypedInputType>;
  typeField?: string;
};
