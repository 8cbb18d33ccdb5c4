// What the page does, in one process, which shares a browser. The other half of the tests is in files.test.mjs.
import './place.mjs';
import './open.mjs';
import './shell.mjs';
import './views.mjs';
import './model.mjs';
import './model-trial.mjs';
import './access.mjs';
import './frame-trial.mjs';
