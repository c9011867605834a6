// Completes the page of @fastify/swagger-ui, which knows neither small screens nor the colours that the system prefers.
const viewport = document.createElement('meta')
viewport.name = 'viewport'
viewport.content = 'width=device-width, initial-scale=1'
document.head.append(viewport)

const prefersDark = matchMedia('(prefers-color-scheme: dark)')
const followColors = () => document.documentElement.classList.toggle('dark-mode', prefersDark.matches)
prefersDark.addEventListener('change', followColors)
followColors()
