import { render } from 'preact';
import { App } from './app';
import './styles/index.css';

const root = document.getElementById('loupe');
if (root) render(<App facts={{ ...root.dataset }} />, root);
