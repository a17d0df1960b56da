// What the tests of the editor do within its page. It runs in the browser, as the page's own script would.
(() => {
  // Node-RED lets forms slide and tips wait for a person's eye; over all forms that would be most of the time.
  // All short delays shrink alike, so that what comes first still does.
  const FOR_THE_EYE_MS = 750;
  const HASTE = 10;
  const wait = window.setTimeout;
  window.setTimeout = (run, delay = 0, ...rest) =>
    wait(run, delay <= FOR_THE_EYE_MS ? delay / HASTE : delay, ...rest);
  document.addEventListener("DOMContentLoaded", () => {
    const style = document.createElement("style");
    style.textContent = "* { transition: none !important; animation: none !important; }";
    document.head.append(style);
    // Lists that still slide open are clicked beside.
    $.fx.off = true;
    const { notify } = RED;
    RED.notify = (...said) => {
      const notice = notify(...said);
      notices.push(notice);
      return notice;
    };
  });
  const notices = [];

  // Forms remember answers for seconds: see `load`.
  const now = Date.now;
  const elapsed = performance.now.bind(performance);
  let later = 0;
  Date.now = () => now() + later;
  performance.now = () => elapsed() + later;
  const A_WHILE_MS = 60_000;

  const FIELDS = "input, select, textarea, button";
  // Two ids in one selector would look at the whole page.
  const CONFIG_FORM = "node-config-dialog-edit-form";
  const formOf = (isConfig) => document.getElementById(isConfig ? CONFIG_FORM : "dialog-form");
  const form = () => formOf(false) ?? formOf(true);
  const prefix = () => (form().id === "dialog-form" ? "node-input-" : "node-config-input-");
  const isVisible = (element) => element.checkVisibility({ visibilityProperty: true });
  const definition = () => RED.nodes.getType(RED.editor.getEditStack().at(-1).type);

  /** What a person can reach: no part of Node-RED that is hidden, disabled or not meant for the keyboard. */
  const fields = () =>
    [...form().querySelectorAll(FIELDS)].filter((field) => isVisible(field) && !field.disabled);

  /** The same, also where it is disabled, without those that Node-RED hides for managers of passwords. */
  const seen = () =>
    [...form().querySelectorAll(FIELDS)].filter((field) => isVisible(field) && !isTrap(field));
  const isTrap = ({ id }) => id.startsWith("red-ui-trap");
  const textOf = (element) => element.textContent.trim();
  const naming = (field) => (field.getAttribute("aria-labelledby") ?? "").split(/\s+/).filter(Boolean);
  const isNamedBy = (field, label) => nameOf(field) === textOf(label) || naming(field).includes(label.id);
  /** The name of a field, as it is heard. */
  const nameOf = (field) => {
    const by = naming(field)
      .map((id) => document.getElementById(id))
      .filter(Boolean);
    const labels = [...(field.labels ?? [])];
    const own = field.matches("button") ? textOf(field) : "";
    const said = [by.map(textOf).join(" "), field.getAttribute("aria-label"), labels.map(textOf).join(" ")];
    return [...said, own, field.title].map((text) => (text ?? "").trim()).find((text) => text !== "") ?? "";
  };

  /** A field in words, so that a failure tells which one it was. Several buttons of a row differ in their names. */
  const describe = (field) =>
    field.id ||
    `${field.tagName.toLowerCase()}.${[...field.classList].join(".")} "${nameOf(field)}" in ${rowOf(field)}`;
  const rowOf = (field) => field.closest(".form-row")?.querySelector("label")?.textContent.trim() ?? "no row";

  /** Any part of the form, in words. */
  const inWords = (element) => {
    const name = element.tagName.toLowerCase() + (element.id && `#${element.id}`);
    const text = element.textContent.trim().replace(/\s+/g, " ").slice(0, 60);
    return `<${[name, ...element.classList].join(".")}> "${text}" (${rowOf(element)})`;
  };

  /** The box or the choice that a property is edited with; of a typed input, the box that is seen. */
  const shown = (name) => {
    const field = document.getElementById(prefix() + name);
    if (!field?.classList.contains("red-ui-typedInput")) return field;
    return field.nextElementSibling.querySelector(".red-ui-typedInput-input");
  };

  const isText = (field) =>
    field?.matches("input:not([type=checkbox], [readonly]), textarea") && isVisible(field);

  const own = (select) =>
    !select.nextElementSibling?.id.endsWith("-edit") && !select.id.includes("-btn-") && select.id !== "";

  const GIVE_UP_MS = 30_000;
  const until = async (what, isSo) => {
    const deadline = performance.now() + GIVE_UP_MS;
    // biome-ignore lint/plugin: it runs in the page of the editor
    while (!isSo()) {
      if (performance.now() > deadline) throw new Error(`Waited in the page for ${what}.`);
      await new Promise((resolve) => wait(resolve, 5));
    }
  };
  /** Whether a button has come to where the pointer would find it. */
  const isReachable = (button) => {
    const { left, top, width, height } = button.getBoundingClientRect();
    return button.contains(document.elementFromPoint(left + width / 2, top + height / 2));
  };
  const button = (isConfig, name) =>
    document.querySelector(`${isConfig ? "#node-config-dialog" : "#node-dialog"}-${name}`);
  const isPressable = (one) => one && !one.disabled && isReachable(one);
  /** How long forms may take to close. */
  const PATIENCE_MS = 10_000;
  /** Whether no form, dialog or question is open. */
  const isAtRest = () =>
    RED.editor.getEditStack().length === 0 &&
    $(".ui-dialog:visible, #red-ui-full-shade:visible").length === 0;
  const dialog = () => (form().id === "dialog-form" ? "#node-dialog" : "#node-config-dialog");

  /** What each color is made of: to read a pixel takes long. */
  const known = new Map();
  const pencil = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  /** Red, green, blue from 0 to 1, and how opaque, of any color that CSS knows. */
  const parts = (color) => {
    if (!known.has(color)) known.set(color, drawn(color));
    return known.get(color);
  };
  const drawn = (color) => {
    pencil.clearRect(0, 0, 1, 1);
    pencil.fillStyle = color;
    pencil.fillRect(0, 0, 1, 1);
    return [...pencil.getImageData(0, 0, 1, 1).data].map((part) => part / 255);
  };
  /** A color over another one, both as parts. */
  const over = ([red, green, blue, alpha], back) =>
    [red, green, blue].map((part, index) => part * alpha + back[index] * (1 - alpha)).concat(1);
  /** What is behind the text of an element, through everything that lets it shine through. */
  const behind = (element) => {
    if (!element) return [1, 1, 1, 1];
    const own = parts(getComputedStyle(element).backgroundColor);
    return own[3] > 0.99 ? own : over(own, behind(element.parentElement));
  };
  /** How much of an element is left by its opacity and that of all around it. */
  const opacity = (element) =>
    element ? Number(getComputedStyle(element).opacity) * opacity(element.parentElement) : 1;
  /** How much the text of an element stands out; `::placeholder` has a color of its own. */
  const ratioOf = (element, part) => {
    const back = behind(element);
    const { color, opacity: own = "1" } = getComputedStyle(element, part);
    const [red, green, blue, alpha] = parts(color);
    const shown = alpha * opacity(element) * (part ? Number(own) : 1);
    return contrast(over([red, green, blue, shown], back), back);
  };
  /** As the WCAG have it. */
  const luminance = (color) => {
    const [red, green, blue] = color.map((part) =>
      part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4,
    );
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const contrast = (one, other) => {
    const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  };

  /** The class of the editor's dark theme. */
  const DARK = "nr-theme-dark";
  /** The texts of the form that stand out too little from what is behind them, and by how much they do. */
  const faint = (least) => {
    const found = [];
    const look = (text, element, part) => {
      if (text === "" || !isVisible(element) || element.closest(":disabled, .disabled, option")) return;
      const ratio = ratioOf(element, part);
      if (ratio < least) found.push(`${text} (${ratio.toFixed(1)})`);
    };
    const walk = document.createTreeWalker(form(), NodeFilter.SHOW_TEXT);
    while (walk.nextNode()) look(walk.currentNode.textContent.trim(), walk.currentNode.parentElement);
    for (const field of form().querySelectorAll("input:not([type=checkbox], [type=file]), textarea")) {
      const part = field.value === "" ? "::placeholder" : undefined;
      look((field.value || field.placeholder).trim(), field, part);
    }
    for (const select of form().querySelectorAll("select"))
      look(select.selectedOptions[0]?.textContent.trim() ?? "", select);
    return found;
  };

  window.inEditor = {
    /** Whether flows can be loaded without the page: no form and no dialog is open. The editor then expects a deploy. */
    letGo: () => {
      // Without a version, flows that another deploys are nothing to tell of.
      if (isAtRest()) RED.nodes.version(null);
      return isAtRest();
    },

    /** What the editor does when its page is loaded: takes the flows that are deployed, and their statuses. */
    load: async () => {
      later += A_WHILE_MS;
      const { rev, flows } = await $.ajax({
        headers: { Accept: "application/json" },
        cache: false,
        url: "flows",
      });
      $("[data-of-test], .red-ui-popover").remove();
      for (const notice of notices.splice(0)) notice.close();
      RED.nodes.clear();
      RED.history.clear();
      RED.nodes.version(rev);
      RED.nodes.import(flows);
      RED.nodes.dirty(false);
      RED.view.redraw(true);
      RED.workspaces.show(RED.nodes.getWorkspaceOrder()[0]);
      RED.view.scroll(-10_000, -10_000);
      RED.events.emit("flows:loaded");
      // Node-RED sends the last one of each node to whoever subscribes.
      RED.comms.subscribe("status/#", () => {});
    },

    defaults: (type) => {
      const { defaults, category, credentials = {} } = RED.nodes.getType(type);
      const values = Object.entries(defaults).map(([name, { value }]) => [name, structuredClone(value)]);
      const references = Object.entries(defaults).filter(([, { type: of }]) => of?.startsWith("crec-"));
      return {
        values: Object.fromEntries(values),
        references: references.map(([name, { type: of }]) => [name, of]),
        credentials: Object.keys(credentials),
        isConfig: category === "config",
      };
    },

    subflows: () => {
      const found = [];
      RED.nodes.eachSubflow(({ name }) => found.push(name));
      return found;
    },

    nodes: () => {
      const found = [];
      RED.nodes.eachConfig((node) => found.push(node));
      RED.nodes.eachNode((node) => found.push(node));
      for (const node of found) RED.editor.validateNode(node);
      return found.map(({ id, type, z, valid, validationErrors = [] }) => ({
        id,
        type,
        z,
        valid,
        validationErrors,
      }));
    },

    stored: (id) => {
      const node = RED.nodes.node(id);
      RED.editor.validateNode(node);
      const values = Object.keys(node._def.defaults).map((name) => [name, structuredClone(node[name])]);
      return {
        valid: node.valid,
        validationErrors: node.validationErrors ?? [],
        values: Object.fromEntries(values),
      };
    },

    /** Opens a node's form, and tells whether it is that of a config node. */
    edit: (id) => {
      const node = RED.nodes.node(id);
      const isConfig = node._def.category === "config";
      if (isConfig) RED.editor.editConfig("", node.type, id);
      else RED.editor.edit(node);
      return isConfig;
    },

    /**
     * Waits until the form on top can be used: Node-RED shows the buttons first, and the fields once it has fetched the
     * credentials. The pointer would take as long again. Then unfolds all sections, as a person does who needs them.
     */
    opened: async (isConfig) => {
      await until("an open form", () => {
        const opened = formOf(isConfig);
        return opened && isVisible(opened) && isPressable(button(isConfig, "ok"));
      });
      for (const section of formOf(isConfig).querySelectorAll("details")) section.open = true;
    },

    /** Closes the form on top by its Done ("ok") or "cancel", without the pointer. */
    close: async (isConfig, name) => {
      const [left, pressed] = [formOf(isConfig), button(isConfig, name)];
      await until(`the button ${name} of a form`, () => isPressable(pressed));
      // As the pointer does: the field before loses the focus, and tells of its change.
      pressed.focus();
      pressed.click();
      await until("a form to close", () => !left.isConnected);
    },

    /** Closes the form by its Cancel. */
    leave: () => window.inEditor.close(form().id === CONFIG_FORM, "cancel"),

    /** Closes all forms and dialogs by their Cancel. Whether nothing is left open: a form may not let itself be closed. */
    leaveAll: async () => {
      if (isAtRest()) return true;
      for (const notice of notices.splice(0)) notice.close();
      $(".ui-dialog-content:visible").dialog("close");
      const deadline = performance.now() + PATIENCE_MS;
      let left;
      await until("forms to close", () => {
        if (form() && form() !== left) {
          left = form();
          document.querySelector(`${dialog()}-cancel`).click();
        }
        return isAtRest() || performance.now() > deadline;
      });
      return isAtRest();
    },

    /** Closes the form by its Done. */
    finish: () => window.inEditor.close(form().id === CONFIG_FORM, "ok"),

    /** The ids of the nodes that the editor would deploy as changed. */
    changed: () => {
      const found = [];
      RED.nodes.eachConfig((node) => node.changed && found.push(node.id));
      RED.nodes.eachNode((node) => node.changed && found.push(node.id));
      return found;
    },

    exported: (ids) => JSON.stringify(RED.nodes.createExportableNodeSet(ids.map((id) => RED.nodes.node(id)))),

    completeFlow: () => JSON.stringify(RED.nodes.createCompleteNodeSet({ credentials: false })),

    /** The config nodes that the form offers and a crec node type is asked for, by property. */
    references: () =>
      Object.entries(definition().defaults)
        .filter(([name, { type }]) => type?.startsWith("crec-") && shown(name) && isVisible(shown(name)))
        .map(([name, { type }]) => ({ name, type, chosen: shown(name).value })),

    /** The properties with a check of ours that can be typed into just now. */
    checked: () => {
      const { defaults } = definition();
      return Object.keys(defaults).filter((name) => {
        const field = shown(name);
        return (
          // Every text has the check for variables.
          defaults[name].validate && defaults[name].validate.name !== "variableCheck" && isText(field)
        );
      });
    },

    /** The properties that can be typed into just now, but for the name of the node and what is taken from elsewhere. */
    texts: () =>
      Object.entries(definition().defaults)
        .filter(([name, { type, validate }]) => validate && type === undefined && isText(shown(name)))
        .map(([name]) => name),

    /** The labels that are seen and name no field that is seen. */
    lonelyLabels: () =>
      [...form().querySelectorAll("label[for]")]
        .filter((label) => isVisible(label) && !seen().some((field) => isNamedBy(field, label)))
        .map(textOf),

    /** The fields that are seen and have no name for those who hear the form. */
    nameless: () =>
      seen()
        .filter((field) => nameOf(field) === "")
        .map(describe),

    /** The fields that are seen and have this as their name. */
    named: (text) =>
      seen()
        .filter((field) => nameOf(field).includes(text))
        .map(describe),

    /** The fields that the tab key would pass by, wherever it comes from. */
    passedBy: () =>
      fields()
        .filter((field) => field.tabIndex < 0 || field.closest("[inert]"))
        .map(describe),

    /** The properties whose box offers a list of ours just now: for another type than text, Node-RED has its own. */
    searched: () =>
      Object.keys(definition().defaults).filter((name) => {
        const field = document.getElementById(prefix() + name);
        const isText =
          !field?.classList.contains("red-ui-typedInput") || $(field).typedInput("type") === "str";
        return isText && shown(name)?.matches(".red-ui-autoComplete") && isVisible(shown(name));
      }),

    /** Puts a value where a person would type it, and tells what was there. */
    put: (name, value) => {
      const box = shown(name);
      const before = box.value;
      // By a key that opens no list: it would lie over what is looked at next.
      $(box)
        .val(value)
        .trigger($.Event("keyup", { keyCode: 27 }))
        .trigger("change");
      return before;
    },

    /** The sentence that a refused field shows, empty where it has none, or undefined where it is accepted. */
    refusal: (name) => {
      const field = document.getElementById(prefix() + name);
      if (!field.classList.contains("input-error")) return undefined;
      const { defaults } = definition();
      const node = RED.editor.getEditStack().at(-1);
      // Node-RED judges by itself what is required and empty, and has no words for it.
      if (defaults[name].required && field.value === "") return "";
      const said = defaults[name].validate.call(node, field.value, {});
      return typeof said === "string" ? said : "";
    },

    /** The faint texts of the form in each theme. The themes change within one step: nothing is painted in between. */
    faint: (least, themes) => {
      const { classList } = document.documentElement;
      const isDark = classList.contains(DARK);
      const found = themes.map((theme) => {
        classList.toggle(DARK, theme === "dark");
        return [theme, faint(least)];
      });
      classList.toggle(DARK, isDark);
      return Object.fromEntries(found);
    },

    /** How much each drawn node's label and icon stand out from its color. */
    drawn: () =>
      [...document.querySelectorAll(".red-ui-flow-node-group")].map((group) => {
        const paint = (selector) => {
          const { fill, fillOpacity } = getComputedStyle(group.querySelector(selector));
          const [red, green, blue] = parts(fill);
          return [red, green, blue, Number(fillOpacity)];
        };
        const back = over(paint(".red-ui-flow-node"), [1, 1, 1, 1]);
        const text = group.querySelector(".red-ui-flow-node-label");
        const icon = group.querySelector("image.red-ui-flow-node-icon");
        const shaded = over(paint(".red-ui-flow-node-icon-shade"), back);
        return {
          type: RED.nodes.node(group.id).type,
          color: group.querySelector(".red-ui-flow-node").getAttribute("fill"),
          label: contrast(parts(getComputedStyle(text).fill), back),
          // Our icons are white.
          icon: contrast([1, 1, 1, icon ? 1 : 0], shaded),
        };
      }),

    /** Shows the editor in a theme, by the class that the editor itself uses. */
    showTheme: (theme) => document.documentElement.classList.toggle(DARK, theme === "dark"),

    /** Opens every part of the form that is folded. */
    unfold: () => {
      for (const details of form().querySelectorAll("details")) details.open = true;
      for (const button of form().querySelectorAll("[aria-expanded=false][aria-controls]")) button.click();
    },

    /** What of the form cannot be seen in full: what ends beside it, and what is wider than its own place. */
    cutOff: () => {
      const found = [];
      const add = (what, pixels) => pixels > 1 && found.push(`${what} by ${Math.round(pixels)} px`);
      const { left, right } = form().getBoundingClientRect();
      const tray = form().closest(".red-ui-tray-body-wrapper");
      add("the form is wider than the tray", tray.scrollWidth - tray.clientWidth);
      for (const element of form().querySelectorAll("*")) {
        // The text in a field scrolls with the cursor.
        if (!isVisible(element) || element.closest("select > *, svg")) continue;
        const box = element.getBoundingClientRect();
        if (box.width < 1 || box.height < 1) continue;
        add(`${inWords(element)} ends beside the form`, Math.max(box.right - right, left - box.left));
        const isField = element.matches("input, textarea, select");
        if (!isField && element.clientWidth > 0 && !element.title)
          add(`${inWords(element)} is cut off`, element.scrollWidth - element.clientWidth);
      }
      return found;
    },

    fields: () => fields().map(describe),

    /** The field that has the focus, or undefined when it is not one of the form. */
    focused: () => (form().contains(document.activeElement) ? describe(document.activeElement) : undefined),

    /** Puts the focus on a field, and tells which has it then. */
    focus: (described) => {
      const field = fields().find((one) => describe(one) === described);
      field?.focus();
      return document.activeElement === field ? described : undefined;
    },

    /** Takes back, as a person would, what was changed since the flows were loaded. */
    undoAll: () => {
      while (RED.history.depth() > 0) RED.history.pop();
    },

    /** The choices that change what the form shows: selects that are no reference to a config node. */
    choices: () => {
      const { defaults } = definition();
      return Object.keys(defaults)
        .filter((name) => !defaults[name].type)
        .map((name) => document.getElementById(prefix() + name))
        .filter((field) => field?.matches("select, input[type=checkbox]") && isVisible(field) && own(field))
        .map((field) => ({
          id: field.id,
          options: field.matches("select") ? [...field.options].map(({ value }) => value) : [true, false],
          chosen: field.matches("select") ? field.value : field.checked,
        }));
    },

    choose: (id, option) => {
      const field = $(document.getElementById(id));
      if (typeof option === "boolean") field.prop("checked", option);
      else field.val(option);
      field.trigger("change");
    },
  };
})();
