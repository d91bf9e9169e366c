// What TypeScript finds (names that do not exist, wrong fields) is left to it.
import js from "@eslint/js";

export default [
  { ignores: ["static/plotly.min.js", "node_modules/", ".venv/"] },
  js.configs.recommended,
  {
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: {
      "no-undef": "off",
      "eqeqeq": "error",
      "max-len": ["error", { code: 150 }],
      "max-lines": ["error", { max: 300 }],
      "no-var": "error",
      "prefer-const": ["error", { destructuring: "all" }],
      "no-unused-vars": ["error", { ignoreRestSiblings: true }],
    },
  },
  { files: ["static/message/message.js"], rules: { "max-lines": "off" } }, // written by a program
];
