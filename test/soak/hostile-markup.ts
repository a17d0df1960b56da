/** What runs where a text becomes markup or code. */
const TAKE = "globalThis.isTaken=(globalThis.isTaken||0)+1";

/** Markup that runs something as soon as it is an element. */
const ELEMENTS: readonly string[] = [
  `<img class=planted src="data:," onerror="${TAKE}">`,
  `<IMG class=planted SRC=data:, OnErRoR=${TAKE}>`,
  `<img/class=planted/src=data:,/onerror=${TAKE}>`,
  `<script class=planted>${TAKE}</script>`,
  `</template><script class=planted>${TAKE}</script>`,
  `</script><script class=planted>${TAKE}</script>`,
  `</style><img class=planted src=data:, onerror=${TAKE}>`,
  `</textarea></title><img class=planted src=data:, onerror=${TAKE}>`,
  `--><img class=planted src=data:, onerror=${TAKE}><!--`,
  `]]><img class=planted src=data:, onerror=${TAKE}>`,
  `<svg class=planted onload="${TAKE}"></svg>`,
  `<svg class=planted><script>${TAKE}</script></svg>`,
  `<svg class=planted><animate onbegin="${TAKE}" attributeName=x dur=1s></svg>`,
  `<svg class=planted><foreignObject><img src=data:, onerror=${TAKE}></foreignObject></svg>`,
  `<math class=planted><mtext><img src=data:, onerror=${TAKE}></mtext></math>`,
  `<iframe class=planted srcdoc="<script>parent.${TAKE.replaceAll("globalThis", "window.parent")}</script>"></iframe>`,
  `<iframe class=planted src="javascript:parent.isTaken=1"></iframe>`,
  `<object class=planted data="javascript:${TAKE}"></object>`,
  `<embed class=planted src="javascript:${TAKE}">`,
  `<a class=planted href="javascript:${TAKE}" autofocus onfocus="${TAKE}" tabindex=1>x</a>`,
  `<input class=planted autofocus onfocus="${TAKE}">`,
  `<details class=planted open ontoggle="${TAKE}"><summary>x</summary></details>`,
  `<video class=planted><source onerror="${TAKE}"></video>`,
  `<body class=planted onload="${TAKE}">`,
  `<form class=planted><button formaction="javascript:${TAKE}">x</button></form>`,
  `<style class=planted>*{background:url(/planted)}</style>`,
  `<link class=planted rel=stylesheet href=/planted>`,
  `<base class=planted href=//planted.example/>`,
  `<meta class=planted http-equiv=refresh content="0;url=javascript:${TAKE}">`,
  `<component class=planted :is="'script'">${TAKE}</component>`,
  `<x-planted class=planted @click="${TAKE}" v-html="'x'">x</x-planted>`,
  `<del class=planted>not taken back</del>`,
];

/** What leaves an attribute, a text of a script, or a template. */
const BREAKOUTS: readonly string[] = [
  `" onmouseover="${TAKE}" data-planted="`,
  `' onmouseover='${TAKE}' data-planted='`,
  `" autofocus onfocus=${TAKE} data-planted x="`,
  `critical" class="planted`,
  `";${TAKE};//`,
  `\`;${TAKE};//`,
  `\${${TAKE}}`,
  `{{ ${TAKE} }}`,
  `{{ constructor.constructor("${TAKE}")() }}`,
  `{{ $el.ownerDocument.defaultView.isTaken = 1 }}`,
  `{{{ ${TAKE} }}}`,
  `{% ${TAKE} %}`,
  `<%= ${TAKE} %>`,
  `[[ ${TAKE} ]]`,
  `#{${TAKE}}`,
  `javascript:${TAKE}`,
  `data:text/html,<script>${TAKE}</script>`,
];

/** Texts that code could take for something else, or that people read in another order. */
const ODD: readonly string[] = [
  ...["__proto__", "constructor", "toString", "hasOwnProperty", "then", "null", "NaN", "[object Object]"],
  "\u202e<gpj.dnuoS\u202c x",
  "\u2066\u2067 both \u2069",
  "a\u200bl\u200ce\u200dr\ufefft",
  "\u0000\u0001\u001b[31m red",
  "\ud800 half a pair",
  "e\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301",
  "&lt;img class=planted src=data:, onerror=isTaken=1&gt;",
  "&#60;img class=planted src=data:, onerror=isTaken=1&#62;",
  "\\u003cimg class=planted src=data:, onerror=isTaken=1\\u003e",
  "+ADw-img class=planted src=data:, onerror=isTaken=1+AD4-",
  "\uff1cimg class=planted src=data:, onerror=isTaken=1\uff1e",
  "x".repeat(5_000),
];

export const HOSTILE: readonly string[] = [...ELEMENTS, ...BREAKOUTS, ...ODD];

type Found = { isTaken: unknown; planted: string[] };

/** What a page made of these texts: runs in the page. */
export function plantedIn(): Found {
  type Element_ = { outerHTML: string };
  const page = globalThis as unknown as {
    isTaken?: unknown;
    document: { querySelectorAll(selector: string): Iterable<Element_> };
  };
  const planted = [
    ...["img[src^='data:,']", ".planted", "x-planted", "[data-planted]", "iframe", "object", "embed"],
    ...["[onerror]", "[onload]", "[onfocus]", "[onmouseover]", "[ontoggle]", "base[href*=planted]"],
  ];
  const elements = [...page.document.querySelectorAll(planted.join(","))];
  return { isTaken: page.isTaken, planted: elements.map(({ outerHTML }) => outerHTML.slice(0, 120)) };
}
