/** Of every run of Jest. */
export { removeLent as default } from './worker-environment';
