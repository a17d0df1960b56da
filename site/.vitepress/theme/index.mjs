// The default theme with the fonts of the system: pages load nothing from elsewhere.
export { default } from "vitepress/theme-without-fonts";

import "./style.css";
